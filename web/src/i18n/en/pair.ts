export const pair = {
  title: 'Add a device',
  hint: 'A code to scan, valid once and for 5 minutes',
}
