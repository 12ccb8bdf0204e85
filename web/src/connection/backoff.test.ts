import { expect, test } from 'vitest'

import { backoffMs } from './backoff'

test('waits half a second at first and ten at most', () => {
  expect([0, 1, 2, 3, 4, 5, 50].map((attempt) => backoffMs(attempt, () => 1))).toEqual([
    500, 1000, 2000, 4000, 8000, 10_000, 10_000,
  ])
})

test('leaves the later half to chance', () => {
  expect(backoffMs(3, () => 0)).toBe(2000)
  expect(backoffMs(3, () => 0.5)).toBe(3000)
})
