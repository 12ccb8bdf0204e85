export const app = { name: 'LineUp', skip: 'To the question', people: 'Agents and devices' }

export const nav = {
  timeline: 'Timeline',
  tools: 'Tools',
  settings: 'Settings',
  agents: 'Agents',
  menu: 'Agents and devices',
  more: 'More',
  back: 'Back',
  add_device: 'Add a device',
  none_yet: 'None yet',
}

export const banner = {
  connecting: 'Connecting…',
  reconnecting: 'Reconnecting in {n} s.',
  reconnecting_now: 'Reconnecting…',
  offline: 'Offline since {time}. Answers wait here and go out by themselves.',
  queued: '1 answer queued. | {n} answers queued.',
  missing: 'Part of the page is missing until then.',
  retry: 'Retry',
  offline_since: 'Offline since {time}',
  no_connection: 'No connection. Your questions come back with it.',
  waiting_here: 'Waits to be sent',
  offline_short: 'Offline since {time}.',
  update_ready: 'A new version is ready. Drafts and queued answers stay.',
  page_older: 'This page is older than the relay ({page} / {relay}).',
  page_newer: 'This page is newer than the relay ({page} / {relay}). Some things may not work.',
  reload: 'Reload',
}

export const time = {
  hm: '{h}h {m}m',
  dh: '{d}d {h}h',
  seconds: '{n} s',
  minutes: '{n} min',
  hours: '{n} h',
  days: '{n} d',
}

export const common = { cancel: 'Cancel', comma: ', ', copied: 'Copied', copy_fail: 'Could not copy. Select the text instead.' }
