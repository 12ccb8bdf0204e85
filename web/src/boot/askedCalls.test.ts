import { expect, test } from 'vitest'

import type { RoomEvent } from '../protocol/events'
import { applyEvents, EMPTY_ROOM } from '../protocol/room'
import { AGENT, aText } from '../protocol/testing'
import { anUpdateOf, type CallFacts, type CallPhase } from '../protocol/tools'
import { withQuestions } from './askedCalls'

function aCall(part: Partial<CallFacts> = {}): RoomEvent {
  const call = { callId: 'c1', name: 'confirm', action: 'confirm', argumentsJson: '{"question":"Go?"}', applicationId: '', agentId: 'agent-1', timeoutMs: 60_000, atMs: 5_000 }
  return { type: 'call', seq: 3, call: { ...call, ...part } }
}

function told(phase: CallPhase, atMs = 6_000): RoomEvent {
  return { type: 'callUpdate', seq: 4, update: anUpdateOf('c1', phase), by: 'iPad', atMs }
}

const SOURCES = { agents: new Map([[AGENT.id, AGENT]]), calls: EMPTY_ROOM.calls, words: { yes: 'Yes', no: 'No' }, nowMs: 5_000 }
const CALCULATION: Partial<CallFacts> = { name: 'calculator', action: 'add', argumentsJson: '{}' }

test('a call for a human becomes a question that ends with the call', () => {
  const room = applyEvents(EMPTY_ROOM, withQuestions([aCall(), told('taken'), told('succeeded')], SOURCES))
  expect(room.requests.get('c1')).toMatchObject({ phase: 'answered', endedBy: 'iPad', agent: AGENT, changedMs: 6_000 })
  expect(room.calls.size).toBe(0)
})

test('a call for a device stays one', () => {
  const room = applyEvents(EMPTY_ROOM, withQuestions([aCall(CALCULATION), told('succeeded')], SOURCES))
  expect(room.calls.get('c1')).toMatchObject({ phase: 'succeeded', by: 'iPad' })
  expect(room.requests.size).toBe(0)
  // Later news of it are no question either.
  const later = applyEvents(room, withQuestions([told('failed')], { ...SOURCES, calls: room.calls }))
  expect(later.ahead.size).toBe(0)
})

test('an end that is read before its call waits for it', () => {
  const room = applyEvents(EMPTY_ROOM, withQuestions([told('expired')], SOURCES))
  const whole = applyEvents(room, withQuestions([aCall()], SOURCES))
  expect(whole.requests.get('c1')?.phase).toBe('expired')
})

test('what is read from the log gets the time of its neighbour', () => {
  const text: RoomEvent = { type: 'text', seq: 2, text: aText({ sentMs: 4_000 }) }
  const events = withQuestions([text, aCall({ atMs: 0 }), told('succeeded', 0)], SOURCES)
  const room = applyEvents(EMPTY_ROOM, events)
  expect(room.requests.get('c1')).toMatchObject({ createdMs: 4_001, deadlineMs: 65_001, phase: 'answered', changedMs: 4_001 })
})

test('all else passes', () => {
  const text: RoomEvent = { type: 'text', seq: 2, text: aText() }
  expect(withQuestions([text], SOURCES)).toEqual([text])
})
