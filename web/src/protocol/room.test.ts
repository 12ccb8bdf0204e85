import { describe, expect, test } from 'vitest'

import type { RoomEvent } from './events'
import { applyEvents, dropUnlogged, EMPTY_ROOM, pendingOf, type RoomState } from './room'
import { anUpdate, aReply, aRequest } from './testing'

const asked: RoomEvent = { type: 'request', seq: 5, request: aRequest() }
const answered: RoomEvent = { type: 'reply', seq: 7, request: aRequest(), reply: aReply() }
const received: RoomEvent = {
  type: 'state',
  seq: 8,
  update: anUpdate({ phase: 'answered', received: true }),
}
const expired: RoomEvent = {
  type: 'state',
  seq: 7,
  update: anUpdate({ phase: 'expired', reason: 'expired', changedMs: 9 }),
}

function room(...events: RoomEvent[]): RoomState {
  return applyEvents(EMPTY_ROOM, events)
}

function only(state: RoomState) {
  return state.requests.get('r1')!
}

describe('a request', () => {
  test('waits with a deadline from its timeout', () => {
    const request = only(room(asked))
    expect(request).toMatchObject({ phase: 'pending', seq: 5, deadlineMs: 1_600_000 })
  })

  test('waits ten minutes without a timeout', () => {
    const request = only(
      room({ type: 'request', seq: 1, request: aRequest({ timeoutSeconds: 0 }) }),
    )
    expect(request.deadlineMs).toBe(1_600_000)
  })

  test('shown before its commit gets its seq from the echo', () => {
    const shown: RoomEvent = { type: 'request', seq: 0, request: aRequest() }
    const echo: RoomEvent = {
      type: 'state',
      seq: 5,
      update: anUpdate({ phase: 'pending', deadlineMs: 77 }),
    }
    expect(only(room(shown)).seq).toBe(0)
    expect(only(room(shown, echo))).toMatchObject({ seq: 5, deadlineMs: 77, phase: 'pending' })
  })

  test('keeps its place in the queue: first asked, first answered', () => {
    const state = room(
      { type: 'request', seq: 2, request: aRequest({ id: 'b', createdMs: 2 }) },
      { type: 'request', seq: 1, request: aRequest({ id: 'a', createdMs: 1 }) },
    )
    expect(pendingOf(state).map(({ id }) => id)).toEqual(['a', 'b'])
  })
})

describe('an answer', () => {
  test('ends it, then the agent has it', () => {
    const state = room(asked, answered, received)
    expect(only(state)).toMatchObject({ phase: 'answered', received: true, endedBy: 'iPad', seq: 8 })
    expect(pendingOf(state)).toEqual([])
  })

  test('makes a request known that was not', () => {
    expect(only(room(answered)).phase).toBe('answered')
  })

  test('that dismisses is a dismissal', () => {
    const reply = aReply({ action: 'decline', answers: [], text: '' })
    expect(only(room(asked, { ...answered, reply })).phase).toBe('declined')
  })

  test('after the end is late and does not change the end', () => {
    const late: RoomEvent = { type: 'reply', seq: 9, request: aRequest(), reply: aReply() }
    const request = only(room(asked, expired, late))
    expect(request).toMatchObject({ phase: 'expired', late: true, changedMs: 9 })
    expect(request.reply?.text).toBe('A')
  })

  test('that was corrected is replaced', () => {
    const corrected: RoomEvent = {
      type: 'reply',
      seq: 9,
      request: aRequest(),
      reply: aReply({ action: 'correct', text: 'B' }),
    }
    expect(only(room(asked, answered, corrected)).reply?.text).toBe('B')
  })

  test('of this page keeps being its own when the log repeats it', () => {
    const own: RoomEvent = { ...answered, reply: aReply({ mine: true, by: '', atMs: 0 }) }
    expect(only(room(asked, own, answered)).reply).toMatchObject({ mine: true, by: 'iPad', atMs: 2_000_000 })
  })
})

describe('what came before never undoes what came after', () => {
  const all = [asked, answered, received]

  test('history over live changes nothing', () => {
    const live = room(...all)
    expect(applyEvents(live, all)).toEqual(live)
  })

  test('an end never becomes pending again, whatever the seq', () => {
    for (const seq of [0, 6, 99]) {
      const pending: RoomEvent = { type: 'state', seq, update: anUpdate({ phase: 'pending', deadlineMs: 5 }) }
      expect(only(room(asked, answered, pending)).phase).toBe('answered')
    }
  })

  test('an older state is ignored', () => {
    expect(only(room(asked, answered, received, expired)).phase).toBe('answered')
  })

  test('that the agent has it is kept from an earlier fact that comes late', () => {
    const later: RoomEvent = { type: 'state', seq: 90, update: anUpdate({ phase: 'answered' }) }
    expect(only(room(asked, answered, later, received))).toMatchObject({ received: true, seq: 90 })
  })

  test('every order of the same facts shows the answer', () => {
    const orders = [
      [asked, received, answered],
      [answered, asked, received],
      [answered, received, asked],
    ]
    for (const order of orders) {
      expect(only(room(...order))).toMatchObject({ phase: 'answered', received: true })
      expect(only(room(...order)).reply?.text).toBe('A')
    }
  })
})

describe('the agent', () => {
  test('goes and comes back without touching the question', () => {
    const gone: RoomEvent = { type: 'state', seq: 0, update: anUpdate({ phase: 'pending', agentGone: true }) }
    const back: RoomEvent = { type: 'state', seq: 0, update: anUpdate({ phase: 'pending' }) }
    expect(only(room(asked, gone))).toMatchObject({ agentGone: true, phase: 'pending', deadlineMs: 1_600_000 })
    expect(only(room(asked, gone, back)).agentGone).toBe(false)
  })

  test('withdraws with its reason', () => {
    const withdrawn: RoomEvent = {
      type: 'state',
      seq: 6,
      update: anUpdate({ phase: 'cancelled', message: 'Found them', reason: 'cancelled' }),
    }
    expect(only(room(asked, withdrawn))).toMatchObject({ phase: 'cancelled', message: 'Found them' })
  })
})

test('a card that never reached the log leaves once the log has been read', () => {
  const state = room(asked, { type: 'request', seq: 0, request: aRequest({ id: 'ghost' }) })
  expect([...dropUnlogged(state, () => false).requests.keys()]).toEqual(['r1'])
  expect(dropUnlogged(state, (id) => id === 'ghost').requests.size).toBe(2)
})

describe('pages that are read from the newest to the oldest', () => {
  test('an end that was read before its question ends it', () => {
    const newest = room(expired)
    expect(newest.requests.size).toBe(0)
    const state = applyEvents(newest, [asked])
    expect(only(state)).toMatchObject({ phase: 'expired', reason: 'expired', seq: 7 })
    expect(state.ahead.size).toBe(0)
    expect(pendingOf(state)).toEqual([])
  })

  test('an answer whose receipt was read before it has its receipt', () => {
    const state = applyEvents(room(received), [asked, answered])
    expect(only(state)).toMatchObject({ phase: 'answered', received: true, seq: 8 })
    expect(only(state).reply).not.toBeNull()
  })

  test('news of what the log does not have are not kept', () => {
    expect(room({ ...expired, seq: 0 })).toBe(EMPTY_ROOM)
  })
})
