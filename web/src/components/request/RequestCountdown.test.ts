import { expect, test } from 'vitest'

import { show } from '../testing'
import RequestCountdown from './RequestCountdown.vue'

test('a clock that lags behind the card adds nothing to its time', async () => {
  const timer = show(RequestCountdown, { createdMs: 1_000_400, changedMs: 0, deadlineMs: 1_600_400, nowMs: 1_000_000 })
  expect(timer.text()).toBe('10:00')
  await timer.setProps({ nowMs: 1_001_000 })
  expect(timer.text()).toBe('10:00')
  await timer.setProps({ nowMs: 1_002_000 })
  expect(timer.text()).toBe('9:59')
  await timer.setProps({ deadlineMs: 2_202_900, changedMs: 1_002_900 })
  expect(timer.text()).toBe('20:00')
})
