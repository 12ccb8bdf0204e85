export const markdown = {
  copy: 'Copy',
  done: 'done',
  open: 'open',
  picture: 'Load picture from {host}',
  unfold: 'Show all {n} lines',
  picture_failed: 'Open picture in a new tab',
}
