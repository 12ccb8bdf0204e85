import { expect, test } from 'vitest'

import { shownCalls } from './callRuns'
import type { RoomEvent } from './events'
import { applyEvents, EMPTY_ROOM } from './room'
import { AGENT, aText } from './testing'
import { historyOf, timelineOf } from './timeline'

const MINUTE = 60_000

function called(callId: string, atMs: number, agentId = AGENT.id): RoomEvent {
  const call = { callId, name: 'canvas', action: 'draw', argumentsJson: '{}', applicationId: '', agentId, timeoutMs: 0, atMs }
  return { type: 'call', seq: atMs, call }
}

function rowsOf(...events: RoomEvent[]) {
  return timelineOf(applyEvents(EMPTY_ROOM, events), []).map((row) =>
    row.type === 'calls' ? row.calls.map(({ callId }) => callId).join('+') : row.type,
  )
}

test('calls that follow each other are one row', () => {
  const text: RoomEvent = { type: 'text', seq: 3, text: aText({ sentMs: 3 * MINUTE }) }
  expect(rowsOf(called('a', MINUTE), called('b', 2 * MINUTE), text, called('c', 4 * MINUTE))).toEqual(['a+b', 'text', 'c'])
})

test('another agent, and a long pause, begin a new row', () => {
  expect(rowsOf(called('a', MINUTE), called('b', 2 * MINUTE, 'other'), called('c', 3 * MINUTE))).toEqual(['a', 'b', 'c'])
  expect(rowsOf(called('a', MINUTE), called('b', 30 * MINUTE))).toEqual(['a', 'b'])
})

test('a row of calls keeps its key while it grows, and stands under the name of its agent', () => {
  const [row] = timelineOf(applyEvents(EMPTY_ROOM, [called('a', MINUTE), called('b', 2 * MINUTE)]), [])
  expect(row).toMatchObject({ key: 'call:a', atMs: MINUTE, agentId: AGENT.id, hasHeader: true, startsDay: true })
})

test('a call without a time has no place, and the history knows none', () => {
  expect(rowsOf(called('a', 0))).toEqual([])
  expect(historyOf(applyEvents(EMPTY_ROOM, [called('a', MINUTE)]), [])).toEqual([])
})

test('of more than three calls the last two are shown', () => {
  const events = ['a', 'b', 'c', 'd'].map((id, index) => called(id, (index + 1) * MINUTE))
  const shown = (count: number, isOpen: boolean) => {
    const [row] = timelineOf(applyEvents(EMPTY_ROOM, events.slice(0, count)), [])
    return row?.type === 'calls' ? shownCalls(row, isOpen).map(({ callId }) => callId).join('') : ''
  }
  expect([shown(3, false), shown(4, false), shown(4, true)]).toEqual(['abc', 'cd', 'abcd'])
})
