import { expect, test } from 'vitest'

import { agentsOf } from './agents'
import type { RoomEvent } from './events'
import { applyEvents, EMPTY_ROOM } from './room'
import { AGENT, aPresence, aRequest } from './testing'
import { anUpdateOf, type CallPhase } from './tools'

const NOW = 10_000_000
const CALL = {
  type: 'call' as const,
  seq: 3,
  call: { callId: 'c1', name: 'canvas', action: 'draw', argumentsJson: '{}', applicationId: '', agentId: AGENT.id, timeoutMs: 60_000, atMs: 9_900_000 },
}

function told(phase: CallPhase): RoomEvent {
  return { type: 'callUpdate', seq: 4, update: anUpdateOf('c1', phase), by: 'iPad', atMs: 9_950_000 }
}

function listed(events: readonly RoomEvent[], part: Parameters<typeof aPresence>[0] = {}) {
  const presence = aPresence({ lastCallMs: NOW, ...part })
  return agentsOf(applyEvents(EMPTY_ROOM, events), [], new Map([[presence.id, presence]]), NOW)
}

test('an agent waits for the tool that it called, until there is a result', () => {
  const calling = { activity: 'calling', tool: 'canvas', sinceMs: 9_900_000 }
  expect(listed([CALL])).toMatchObject([calling])
  expect(listed([CALL, told('accepted')])).toMatchObject([calling])
  expect(listed([CALL, told('taken')])).toMatchObject([calling])
  for (const end of ['succeeded', 'failed', 'cancelled', 'expired'] as const) {
    expect(listed([CALL, told(end)])).toMatchObject([{ activity: 'working', tool: '' }])
  }
})

test('what it asked a human comes first, and one that left waits for nothing', () => {
  const asked: RoomEvent = { type: 'request', seq: 1, request: aRequest() }
  expect(listed([asked, CALL])).toMatchObject([{ activity: 'waiting', tool: '' }])
  expect(listed([CALL], { attached: false, leftMs: 77 })).toMatchObject([{ activity: 'gone', tool: '' }])
})

test('a call of nobody that is known changes nothing', () => {
  expect(listed([{ ...CALL, call: { ...CALL.call, agentId: 'stranger' } }])).toMatchObject([{ activity: 'working' }])
})
