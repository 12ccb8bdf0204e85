import { expect, test } from 'vitest'

import { show } from '../testing'
import ConnectionBanner from './ConnectionBanner.vue'

const AWAY = { awaySinceMs: 1_000, retryAtMs: 5_000, nowMs: 2_000, queued: 0, hasNetwork: true, wasOnline: true, isMissing: false }

test('says in one notice what is queued and what is missing', async () => {
  const banner = show(ConnectionBanner, AWAY)
  const words = () => banner.get('span.grow').text()
  expect(words()).toBe('Reconnecting in 3 s.')
  await banner.setProps({ queued: 2, isMissing: true })
  expect(words()).toBe('Reconnecting in 3 s. 2 answers queued. Part of the page is missing until then.')
})
