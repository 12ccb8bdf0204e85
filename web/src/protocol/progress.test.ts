import { expect, test } from 'vitest'

import { percentages } from './progress'

const MB = 1024 * 1024

test('what is buffered is the end of what was sent last', () => {
  const uploads = [{ ref: 'first', bytes: 4 * MB }, { ref: 'second', bytes: 2 * MB }]
  expect(percentages(uploads, 6 * MB)).toEqual({ first: 0, second: 0 })
  expect(percentages(uploads, 3 * MB)).toEqual({ first: 75, second: 0 })
  expect(percentages(uploads, MB)).toEqual({ first: 100, second: 50 })
  expect(percentages(uploads, 0)).toEqual({ first: 100, second: 100 })
})

test('small messages have no number', () => {
  expect(percentages([{ ref: 'words', bytes: 900 }], 900)).toEqual({})
})
