import { expect, test } from 'vitest'

import { EMPTY_DRAFT, questionDraft, writeText } from './draft'
import { historyOf, MAX_QUICK_REPLIES, moved, NO_WRAP, parseQuickReplies, parseWrap, wrapped } from './quickReplies'

test('what other devices wrote is taken only as far as it makes sense', () => {
  expect(parseQuickReplies('x')).toBeNull()
  expect(parseQuickReplies([{ text: '好的 👍' }, { text: 1 }, null, { text: 'Go', send: true }])).toEqual([
    { text: '好的 👍', send: false },
    { text: 'Go', send: true },
  ])
  expect(parseQuickReplies(Array.from({ length: 300 }, () => ({ text: 'a' })))).toHaveLength(MAX_QUICK_REPLIES)
})

test.each([
  [0, 1, 'bac'],
  [2, -1, 'acb'],
  [0, -1, 'abc'],
  [2, 1, 'abc'],
] as const)('moving entry %i by %i gives %s', (index, by, result) => {
  expect(moved(['a', 'b', 'c'], index, by).join('')).toBe(result)
})

test('words are wrapped, empty boxes are not, and it can be switched off', () => {
  const draft = writeText(EMPTY_DRAFT, 1, 'yes')
  const wrap = { prefix: 'Short:', suffix: '— me', isOn: true }
  expect(questionDraft(wrapped(draft, wrap), 1).text).toBe('Short:\nyes\n— me')
  expect(questionDraft(wrapped(draft, wrap), 0).text).toBe('')
  expect(wrapped(draft, { ...wrap, isOn: false })).toBe(draft)
  expect(wrapped(draft, NO_WRAP)).toBe(draft)
  expect(parseWrap({ prefix: 'a', suffix: '' })).toEqual({ prefix: 'a', suffix: '', isOn: true })
  expect(parseWrap([])).toBeNull()
})

test('history has each text once, newest first', () => {
  expect(historyOf(['b', ' a', 'b', ''])).toEqual(['b', 'a'])
})
