import { expect, test } from 'vitest'

import { secondsTillMorning } from './moreTime'

const at = (day: number, hour: number, minute = 0) => new Date(2026, 4, day, hour, minute).getTime()

test.each([
  ['this morning', at(1, 7, 50), at(1, 7, 40), 70 * 60],
  ['tomorrow morning', at(1, 22), at(1, 21, 30), 11 * 3600],
  ['the morning after a deadline that is already later', at(2, 9, 30), at(1, 22), 23.5 * 3600],
  ['a deadline at nine sharp means the next day', at(1, 9), at(1, 8), 24 * 3600],
])('%s', (_, deadline, now, seconds) => {
  expect(secondsTillMorning(deadline, now)).toBe(seconds)
})
