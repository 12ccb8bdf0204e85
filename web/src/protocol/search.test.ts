import { describe, expect, test } from 'vitest'

import { applyEvents, EMPTY_ROOM } from './room'
import { excerptOf, isEmptyQuery, isTrait, matches, namesOf, termsOf, type Entry, type Query } from './search'
import { AGENT, aQuestion, aReply, aRequest, aText, options } from './testing'
import { historyOf } from './timeline'

const ALL: Query = { words: '', agent: '', project: '', is: '' }
const question = aRequest({
  id: 'q',
  questions: [aQuestion({ text: 'Which **index** for `orders`?', options: [{ label: 'Concurrently', description: 'no lock' }] })],
})
const room = applyEvents(EMPTY_ROOM, [
  { type: 'request', seq: 1, request: question },
  { type: 'reply', seq: 2, request: question, reply: aReply({ text: '', answers: [{ index: 0, labels: [], text: 'Tonight, bitte GRÜNDLICH' }] }) },
  { type: 'request', seq: 3, request: aRequest({ id: 'r', kind: 'report', questions: [], text: 'Imported a.b(c)', createdMs: 1_100_000 }) },
  { type: 'text', seq: 4, text: aText({ content: 'x'.repeat(300) + ' needle ' + 'y'.repeat(300) }) },
])
const entries: Entry[] = historyOf(room, []).map((item) => ({ item, agent: AGENT }))

function found(query: Partial<Query>): string[] {
  const whole = { ...ALL, ...query }
  return entries.filter((entry) => matches(entry, whole, termsOf(whole.words))).map(({ item }) => item.key)
}

describe('looking for entries', () => {
  test('finds words of the question, the options, the answer and the agent, in any case', () => {
    for (const words of ['INDEX', 'concurrently', 'no LOCK', 'tonight gründlich', 'index Claude', 'orders macbook']) {
      expect(found({ words })).toContain('q')
    }
    expect(found({ words: 'index nowhere' })).toEqual([])
    expect(found({ words: '  ' })).toHaveLength(3)
  })

  test('takes what looks like a pattern as it is', () => {
    expect(found({ words: 'a.b(c)' })).toEqual(['r'])
    expect(found({ words: 'a.b(d)' })).toEqual([])
    expect(excerptOf(entries[1]!.item, termsOf('b(c)'))).toEqual([
      { text: 'Imported a.', isHit: false },
      { text: 'b(c)', isHit: true },
    ])
  })

  test('passes by agent, project, state and kind', () => {
    expect(found({ agent: AGENT.name })).toHaveLength(3)
    expect(found({ agent: 'Somebody' })).toEqual([])
    expect(found({ project: 'shop-api' })).toHaveLength(3)
    expect(found({ is: 'answered' })).toEqual(['q'])
    expect(found({ is: 'pending' })).toEqual(['r'])
    expect(found({ is: 'report' })).toEqual(['r'])
    expect(found({ is: 'text' })).toEqual(['text:t1'])
  })

  test('knows what is no filter', () => {
    expect(isTrait('answered')).toBe(true)
    expect(isTrait('constructor')).toBe(false)
    expect(isEmptyQuery({ ...ALL, words: ' ' })).toBe(true)
    expect(isEmptyQuery({ ...ALL, is: 'text' })).toBe(false)
    expect(namesOf([...entries, { item: entries[0]!.item, agent: null }], ({ name }) => name)).toEqual(['Claude Code'])
  })
})

test('a text is found by the names of the files attached to it', () => {
  const text = aText({ content: '', files: [{ kind: 'file', name: 'Build.log', mime: 'text/plain', src: 'files/b' }] })
  const [item] = historyOf(applyEvents(EMPTY_ROOM, [{ type: 'text', seq: 1, text }]), [])
  const finds = (words: string) => matches({ item: item!, agent: AGENT }, { ...ALL, words }, termsOf(words))
  expect(['build.LOG', 'core.dump'].map(finds)).toEqual([true, false])
})

describe('an excerpt', () => {
  const text = (item: Entry, words: string) => excerptOf(item.item, termsOf(words))

  test('is the place of the hit on one line, without marks of markdown', () => {
    expect(text(entries[0]!, 'orders').map((piece) => piece.text)).toEqual(['Which index for ', 'orders', '?'])
    const [before, hit, after] = text(entries[2]!, 'needle')
    expect([before?.text.slice(0, 3), hit, after?.text.at(-1)]).toEqual(['…xx', { text: 'needle', isHit: true }, '…'])
  })

  test('is taken from the answer if only that has the words', () => {
    expect(text(entries[0]!, 'bitte').map((piece) => piece.text)).toEqual(['Tonight, ', 'bitte', ' GRÜNDLICH'])
  })

  test('keeps a sign that is no mark, and gives a link its words', () => {
    const item = historyOf(applyEvents(EMPTY_ROOM, [{ type: 'text', seq: 1, text: aText({ content: 'if a > b see [x](https://y.z)' }) }]), [])[0]!
    expect(excerptOf(item, [])).toEqual([{ text: 'if a > b see x', isHit: false }])
  })

  test('has no marks where the lower case is longer', () => {
    const item = historyOf(applyEvents(EMPTY_ROOM, [{ type: 'text', seq: 1, text: aText({ content: 'İstanbul index' }) }]), [])[0]!
    expect(excerptOf(item, ['index'])).toEqual([{ text: 'İstanbul index', isHit: false }])
  })

  test('is the beginning if nothing was looked for', () => {
    expect(excerptOf(entries[0]!.item, [])).toEqual([{ text: 'Which index for orders?', isHit: false }])
    expect(options('a')).toHaveLength(1)
  })
})
