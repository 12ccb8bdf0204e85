import { beforeEach, describe, expect, test } from 'vitest'

import { applyEvents, EMPTY_ROOM } from '../protocol/room'
import { anEntry, aRequest } from '../protocol/testing'
import { readText } from '../stores/storage'
import { ownReply, stamped } from './ownReply'
import { takeCode, takeToken } from './token'

beforeEach(() => {
  localStorage.clear()
})

describe('the token in the address', () => {
  test('moves into the storage and out of sight, the rest of the address stays', () => {
    history.replaceState(null, '', '/prefix/?a=1&token=secret-token#/c/q1')
    takeToken()
    expect(location.href).toMatch(/\/prefix\/\?a=1#\/c\/q1$/)
    expect(readText('token')).toBe('secret-token')
  })

  test('an empty one does not sign out', () => {
    history.replaceState(null, '', '/?token=one')
    takeToken()
    history.replaceState(null, '', '/?token=')
    takeToken()
    expect(location.search).toBe('')
    expect(readText('token')).toBe('one')
  })
})

test('the code of a scanned address moves out of sight, anything else behind the # stays', () => {
  history.replaceState(null, '', '/prefix/#/pair/AbC-_123456')
  expect(takeCode()).toBe('AbC-_123456')
  expect(location.href).toMatch(/\/prefix\/#\/$/)
  for (const hash of ['#/pair', '#/pair/short', '#/pair/not%20a%20code', '#/c/12345678']) {
    history.replaceState(null, '', `/${hash}`)
    expect(takeCode()).toBe('')
    expect(location.hash).toBe(hash)
  }
})

describe('an own reply', () => {
  const asked = applyEvents(EMPTY_ROOM, [{ type: 'request', seq: 1, request: aRequest() }])
  const request = asked.requests.get('r1')!
  const ack = { type: 'ack' as const, ref: 'ref-1', accepted: true, code: '', message: '', seq: 3 }

  test('counts when it is acknowledged', () => {
    const room = applyEvents(asked, ownReply(request, anEntry(), ack, [], 'Phone', 99))
    expect(room.requests.get('r1')).toMatchObject({ phase: 'answered', seq: 3, reply: { mine: true, atMs: 99 } })
  })

  test('that came too late waits for the agent', () => {
    const late = ownReply(request, anEntry(), { ...ack, code: 'kept_late' }, [], 'Phone', 99)
    expect(applyEvents(asked, late).requests.get('r1')).toMatchObject({ phase: 'expired', late: true })
  })

  test('of another device gets the time at which it was heard', () => {
    const [event] = ownReply(request, anEntry(), ack, [], 'Phone', 0)
    expect(stamped(event!, 77)).toMatchObject({ reply: { atMs: 77 } })
    expect(stamped(stamped(event!, 77), 88)).toMatchObject({ reply: { atMs: 77 } })
  })
})
