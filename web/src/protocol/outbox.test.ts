import { describe, expect, test } from 'vitest'

import type { AckFacts } from './events'
import {
  acknowledge,
  add,
  disconnected,
  due,
  endUndo,
  markSending,
  nextDueMs,
  releaseHeld,
  restored,
} from './outbox'
import { anEntry } from './testing'

const NOW = 10_000

function ack(part: Partial<AckFacts>): AckFacts {
  return { type: 'ack', ref: 'ref-1', accepted: false, code: '', message: '', seq: 0, ...part }
}

test('a reply is due at once, a held one after its undo time', () => {
  const held = anEntry({ ref: 'held', requestId: 'r2', state: 'held', notBeforeMs: NOW + 3000 })
  const outbox = [anEntry(), held]
  expect(due(outbox, NOW).map(({ ref }) => ref)).toEqual(['ref-1'])
  expect(nextDueMs(outbox, NOW)).toBe(NOW + 3000)
  expect(due(outbox, NOW + 3000)).toHaveLength(2)
  expect(endUndo(outbox, NOW + 3000)[1]?.state).toBe('queued')
})

test('a hidden page sends what it held at once', () => {
  const [entry] = releaseHeld([anEntry({ state: 'held', notBeforeMs: NOW + 3000 })])
  expect(entry).toMatchObject({ state: 'queued', notBeforeMs: 0 })
})

test('what is being sent is not sent twice on one connection, but again on the next, with the same ref', () => {
  const sending = markSending([anEntry()], 'ref-1')
  expect(due(sending, NOW)).toEqual([])
  const back = disconnected(sending)
  expect(due(back, NOW).map(({ ref }) => ref)).toEqual(['ref-1'])
  expect(back[0]?.attempts).toBe(1)
})

test('after a reload everything is queued again', () => {
  const outbox = [anEntry({ state: 'sending' }), anEntry({ ref: 'h', requestId: 'r2', state: 'held', notBeforeMs: 1e15 })]
  expect(restored(outbox).map(({ state }) => state)).toEqual(['queued', 'queued'])
})

test('one reply per card', () => {
  expect(add([anEntry()], anEntry({ ref: 'ref-2' })).map(({ ref }) => ref)).toEqual(['ref-2'])
})

describe('an ack', () => {
  const sending = markSending([anEntry()], 'ref-1')

  test('takes an accepted reply out', () => {
    expect(acknowledge(sending, ack({ accepted: true }), NOW)).toEqual([])
    expect(acknowledge(sending, ack({ accepted: true, code: 'kept_late' }), NOW)).toEqual([])
  })

  test('keeps a refused one with the reason', () => {
    const [entry] = acknowledge(sending, ack({ code: 'already_answered', message: 'by iPad' }), NOW)
    expect(entry).toMatchObject({ state: 'refused', code: 'already_answered', message: 'by iPad' })
  })

  test('keeps one that the relay could not save, and tries again, later each time', () => {
    const [first] = acknowledge(sending, ack({ code: 'log_unavailable' }), NOW)
    expect(first).toMatchObject({ state: 'queued', notBeforeMs: NOW + 2000 })
    const again = acknowledge(markSending([first!], 'ref-1'), ack({ code: 'log_unavailable' }), NOW)
    expect(again[0]?.notBeforeMs).toBe(NOW + 4000)
  })

  test('of something else changes nothing', () => {
    expect(acknowledge(sending, ack({ ref: 'other', accepted: true }), NOW)).toEqual(sending)
  })
})
