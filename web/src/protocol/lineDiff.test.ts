import { expect, test } from 'vitest'

import { lineDiff } from './lineDiff'

const marks = (before: string, after: string) =>
  lineDiff(before, after).map(({ kind, text }) => `${{ a: '+', d: '-', n: ' ' }[kind]}${text}`)

test('a changed line is removed and added, the others stay', () => {
  expect(marks('a\nb\nc', 'a\nx\nc')).toEqual([' a', '-b', '+x', ' c'])
})

test.each([
  ['same', 'a', 'a', [' a']],
  ['added at the end', 'a', 'a\nb', [' a', '+b']],
  ['removed at the start', 'a\nb', 'b', ['-a', ' b']],
])('%s', (_, before, after, lines) => {
  expect(marks(before, after)).toEqual(lines)
})
