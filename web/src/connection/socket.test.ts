import { expect, test } from 'vitest'

import { socketUrl } from './socket'

test.each([
  ['http://192.168.1.20:22080/', 'ws://192.168.1.20:22080/ws'],
  ['https://host/lineup/#/settings', 'wss://host/lineup/ws'],
  ['https://host/a/b/?x=1#/c/q1', 'wss://host/a/b/ws'],
  ['http://localhost:22080/index.html', 'ws://localhost:22080/ws'],
])('%s has its socket beside it', (page, socket) => {
  expect(socketUrl(page)).toBe(socket)
})
