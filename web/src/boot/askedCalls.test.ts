import { describe, expect, test } from 'vitest'

import type { RoomEvent } from '../protocol/events'
import { applyEvents, EMPTY_ROOM } from '../protocol/room'
import { AGENT, aText } from '../protocol/testing'
import { anUpdateOf, type CallFacts, type CallPhase, type CallUpdate } from '../protocol/tools'
import { withQuestions } from './askedCalls'

function aCall(part: Partial<CallFacts> = {}): RoomEvent {
  const call = { callId: 'c1', name: 'confirm', action: 'confirm', argumentsJson: '{"question":"Go?"}', applicationId: '', agentId: 'agent-1', timeoutMs: 60_000, atMs: 5_000 }
  return { type: 'call', seq: 3, call: { ...call, ...part } }
}

function told(phase: CallPhase, part: Partial<CallUpdate> = {}): RoomEvent {
  return { type: 'callUpdate', seq: 4, update: anUpdateOf('c1', phase, part), by: 'iPad', atMs: 6_000 }
}

const SOURCES = { agents: new Map([[AGENT.id, AGENT]]), calls: EMPTY_ROOM.calls, words: { yes: 'Yes', no: 'No' } }
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

test('a call that another device ran comes with its end, and is no question', () => {
  const { call } = aCall(CALCULATION) as Extract<RoomEvent, { type: 'call' }>
  const room = applyEvents(EMPTY_ROOM, withQuestions([{ ...told('succeeded'), call } as RoomEvent], SOURCES))
  expect(room.calls.get('c1')).toMatchObject({ name: 'calculator', phase: 'succeeded', by: 'iPad' })
  expect([room.requests.size, room.ahead.size]).toEqual([0, 0])
})

test('an end that is read before its call waits for it', () => {
  const room = applyEvents(EMPTY_ROOM, withQuestions([told('expired')], SOURCES))
  const whole = applyEvents(room, withQuestions([aCall()], SOURCES))
  expect(whole.requests.get('c1')?.phase).toBe('expired')
})

describe('an answer of another device', () => {
  const result = { resultJson: '{"message":"Yes\\nbut soon","confirmed":true,"other":"but soon"}' }
  const received: RoomEvent = { type: 'callUpdate', seq: 6, update: anUpdateOf('c1', 'succeeded', { received: true }), by: 'iPad', atMs: 6_000 }
  const reply = { answers: [{ index: 0, labels: ['Yes'], text: 'but soon' }], text: 'Yes\nbut soon', by: 'iPad', mine: false, atMs: 6_000 }

  test('is shown with who gave it and when, and that the agent has it', () => {
    const room = applyEvents(EMPTY_ROOM, withQuestions([aCall(), told('taken'), told('succeeded', result)], SOURCES))
    expect(room.requests.get('c1')).toMatchObject({ createdMs: 5_000, deadlineMs: 65_000, phase: 'answered', received: false, changedMs: 6_000, reply })
    const later = applyEvents(room, withQuestions([received], SOURCES))
    expect(later.requests.get('c1')).toMatchObject({ phase: 'answered', received: true, reply })
  })

  test('is found although what follows it was read first', () => {
    const last = applyEvents(EMPTY_ROOM, withQuestions([received], SOURCES))
    const room = applyEvents(last, withQuestions([aCall(), told('succeeded', result)], SOURCES))
    expect(room.requests.get('c1')).toMatchObject({ phase: 'answered', received: true, endedBy: 'iPad', reply })
  })

  test('that was hidden says that there is one', () => {
    const room = applyEvents(EMPTY_ROOM, withQuestions([aCall(), told('succeeded')], SOURCES))
    expect(room.requests.get('c1')?.reply).toMatchObject({ answers: [], text: '', by: 'iPad' })
  })
})

test('all else passes', () => {
  const text: RoomEvent = { type: 'text', seq: 2, text: aText() }
  expect(withQuestions([text], SOURCES)).toEqual([text])
})
