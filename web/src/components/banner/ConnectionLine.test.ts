import { expect, test } from 'vitest'

import { show } from '../testing'
import ConnectionLine from './ConnectionLine.vue'

const facts = { isAway: true, awaySinceMs: 1, retryAtMs: 5_000, nowMs: 2_000, queued: 2, hasNetwork: true, wasOnline: true }

test('says in one line how the connection is and what waits for it', () => {
  expect(show(ConnectionLine, facts).text()).toBe('Reconnecting in 3 s. 2 answers queued.')
  expect(show(ConnectionLine, { ...facts, hasNetwork: false, queued: 1 }).text()).toMatch(/^Offline since \S+\. 1 answer queued\.$/)
  expect(show(ConnectionLine, { ...facts, isAway: false, queued: 1 }).text()).toBe('1 answer queued.')
})
