import { expect, test } from 'vitest'

import { joinResult, pageForOthers, pairingUrl } from './pairing'

test.each([
  ['http://127.0.0.1:22080/#/pair', '', ''],
  ['http://localhost:22080/', '', ''],
  ['http://[::1]:22080/', 'http://127.0.0.1:22080/', ''],
  ['http://127.0.0.1:22080/#/pair', 'http://192.168.1.20:22080/', 'http://192.168.1.20:22080/'],
  ['http://my-pc:22080/', 'http://192.168.1.20:22080/', 'http://192.168.1.20:22080/'],
  ['http://192.168.1.20:22080/?a=1#/pair', '', 'http://192.168.1.20:22080/'],
  ['https://lineup.example/line/index.html#/pair', 'http://10.0.0.1:22080/', 'https://lineup.example/line/'],
  ['http://[fd00::1]:22080/', '', 'http://[fd00::1]:22080/'],
])('others reach %s, with %s by the relay, as "%s"', (page, base, url) => {
  expect(pageForOthers(base, page)).toBe(url)
})

test('the code stands where no server sees it', () => {
  const url = new URL(pairingUrl('http://192.168.1.20:22080/', 'abc'))
  expect([url.hash, url.search, url.pathname]).toEqual(['#/pair/abc', '', '/'])
})

test.each([
  [200, { token: 't' }, { token: 't' }],
  [200, {}, { problem: 'other' }],
  [403, {}, { problem: 'declined' }],
  [408, {}, { problem: 'expired' }],
  [410, {}, { problem: 'used' }],
  [429, {}, { problem: 'rate_limited' }],
  [500, 'no json', { problem: 'other' }],
])('%s means %j', (status, body, result) => {
  expect(joinResult(status, body)).toEqual(result)
})
