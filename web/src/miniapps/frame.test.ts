import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import type { CallFacts } from '../protocol/tools'
import { CallStop, type Running } from '../tools/desk'
import { FrameSession, type FramePhase } from './frame'

interface Sent {
  readonly type: string
  readonly payload: Record<string, unknown>
}

function frame(kept = '') {
  const sent: Sent[] = []
  const phases: FramePhase[] = []
  const store = { json: kept }
  const reloads = { number: 0 }
  let ids = 0
  const session: FrameSession = new FrameSession({
    post: (text) => void sent.push(JSON.parse(text) as Sent),
    newId: () => `id-${(ids += 1)}`,
    now: Date.now,
    look: () => ({ locale: 'en', theme: 'dark' }),
    state: () => Promise.resolve(store.json),
    keep: (json) => {
      store.json = json
    },
    changed: (phase) => void phases.push(phase),
    reload: () => void (reloads.number += 1),
    silent: () => {
      session.hung(true)
    },
  })
  const say = (type: string, payload: object = {}) => {
    session.heard(JSON.stringify({ v: 1, id: `f-${(ids += 1)}`, type, payload }))
  }
  return { session, sent, phases, store, reloads, say, types: () => sent.map(({ type }) => type) }
}

function running() {
  const abort = new AbortController()
  const receipts: string[] = []
  const one: Running = { signal: abort.signal, receipt: (phase) => void receipts.push(phase), progress: vi.fn() }
  return { abort, receipts, one }
}

const CALL: CallFacts = { callId: 'c1', name: 'timer', action: 'start', argumentsJson: '{"minutes":5}', applicationId: 'pomodoro', agentId: 'a', timeoutMs: 0, atMs: 0 }

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
})

afterEach(() => {
  vi.useRealTimers()
})

test('hello is answered with the look and the kept state, and nothing else', async () => {
  const { sent, say, phases } = frame('{"left":9}')
  say('system.hello', { name: 'x' })
  await vi.advanceTimersByTimeAsync(0)
  expect(sent).toMatchObject([
    { type: 'system.hello', payload: { name: 'LineUp', locale: 'en', theme: 'dark' } },
    { type: 'lineup.v1.miniapp.state', payload: { value: { left: 9 } } },
  ])
  expect(phases).toEqual(['starting', 'started'])
})

test('a call waits for the hello, then goes in, and its result comes out', async () => {
  const { session, sent, say, types } = frame()
  const { one, receipts } = running()
  const result = session.call(CALL, one)
  expect(receipts).toEqual(['starting'])
  expect(types()).toEqual([])
  say('system.hello')
  await vi.advanceTimersByTimeAsync(0)
  expect(receipts).toEqual(['starting', 'started'])
  expect(sent.at(-1)).toMatchObject({ type: 'tool.call', payload: { name: 'timer', action: 'start', call_id: 'c1', arguments: { minutes: 5 } } })
  say('tool.progress', { call_id: 'c1', progress: 1, total: 2, message: 'half' })
  expect(one.progress).toHaveBeenCalledWith(1, 2, 'half')
  say('tool.result', { call_id: 'c1', result: { message: 'Started', left: 300 } })
  await expect(result).resolves.toEqual({ result: { message: 'Started', left: 300 } })
})

test('a call that ends before the hello never goes in', async () => {
  const { session, say, types } = frame()
  const { one, abort } = running()
  const failed = expect(session.call(CALL, one)).rejects.toMatchObject({ code: 'app_gone' })
  abort.abort(new CallStop({ phase: 'cancelled', code: '' }))
  await failed
  say('system.hello')
  await vi.advanceTimersByTimeAsync(0)
  expect(types()).toEqual(['system.hello', 'lineup.v1.miniapp.state'])
})

test('without a hello within 10 s the start has failed, and the next call starts it anew', async () => {
  const { session, say, phases, reloads } = frame()
  const result = session.call(CALL, running().one)
  const failed = expect(result).rejects.toMatchObject({ code: 'start_failed' })
  await vi.advanceTimersByTimeAsync(10_000)
  await failed
  expect(phases).toEqual(['starting', 'crashed'])
  say('system.hello')
  expect(phases.at(-1)).toBe('crashed')
  const again = session.call(CALL, running().one)
  expect(phases.at(-1)).toBe('starting')
  expect(reloads.number).toBe(1)
  say('system.hello')
  await vi.advanceTimersByTimeAsync(0)
  say('tool.result', { call_id: 'c1', result: { message: 'ok' } })
  await expect(again).resolves.toEqual({ result: { message: 'ok' } })
})

describe('a started MiniApp', () => {
  async function started(kept = '') {
    const one = frame(kept)
    one.say('system.hello')
    await vi.advanceTimersByTimeAsync(0)
    one.sent.length = 0
    return one
  }

  test('that stops answering has crashed', async () => {
    const { session, types, phases } = await started()
    const failed = expect(session.call(CALL, running().one)).rejects.toMatchObject({ code: 'app_gone' })
    await vi.advanceTimersByTimeAsync(15_000)
    await failed
    expect(types()).toEqual(['tool.call', 'system.ping', 'system.ping'])
    expect(phases.at(-1)).toBe('crashed')
  })

  test('that stops answering gains no time by another call', async () => {
    const { session, phases } = await started()
    const failed = [expect(session.call(CALL, running().one)).rejects.toMatchObject({ code: 'app_gone' })]
    await vi.advanceTimersByTimeAsync(12_000)
    failed.push(expect(session.call({ ...CALL, callId: 'c2' }, running().one)).rejects.toMatchObject({ code: 'app_gone' }))
    await vi.advanceTimersByTimeAsync(3_000)
    await Promise.all(failed)
    expect(phases.at(-1)).toBe('crashed')
  })

  test('that could not answer while the machine slept has not crashed', async () => {
    const { session, say, phases } = await started()
    void session.call(CALL, running().one)
    vi.setSystemTime(Date.now() + 3_600_000)
    await vi.advanceTimersByTimeAsync(5_000)
    say('system.pong')
    await vi.advanceTimersByTimeAsync(5_000)
    expect(phases.at(-1)).toBe('started')
  })

  test('that answers pings may take its time', async () => {
    const { session, say, phases } = await started()
    const result = session.call(CALL, running().one)
    for (let n = 0; n < 20; n += 1) {
      await vi.advanceTimersByTimeAsync(5_000)
      say('system.pong')
    }
    say('tool.result', { call_id: 'c1', result: { message: 'late' } })
    await expect(result).resolves.toMatchObject({ result: { message: 'late' } })
    expect(phases.at(-1)).toBe('started')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(phases.at(-1)).toBe('started')
  })

  test.each(['closed', 'restarted'] as const)('that is %s loses its calls', async (what) => {
    const { session } = await started()
    const failed = expect(session.call(CALL, running().one)).rejects.toMatchObject({ code: 'app_gone' })
    session[what]()
    await failed
  })

  test('is told how a call ended without it, and is not heard about it any more', async () => {
    const { session, say, sent, types } = await started()
    const { one, abort } = running()
    const failed = expect(session.call(CALL, one)).rejects.toMatchObject({ code: 'app_gone' })
    abort.abort(new CallStop({ phase: 'expired', code: '' }))
    await failed
    expect(sent.at(-1)).toMatchObject({ type: 'tool.cancel', payload: { call_id: 'c1', code: 'expired' } })
    say('tool.progress', { call_id: 'c1', progress: 1 })
    say('tool.result', { call_id: 'c1', result: { message: 'too late' } })
    expect(one.progress).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(types()).toEqual(['tool.call', 'tool.cancel'])
  })

  test('hears of no end of a call to which it gave the result', async () => {
    const { session, say, types } = await started()
    const { one, abort } = running()
    const result = session.call(CALL, one)
    say('tool.result', { call_id: 'c1', result: { message: 'ok' } })
    await expect(result).resolves.toMatchObject({ result: { message: 'ok' } })
    abort.abort()
    expect(types()).toEqual(['tool.call'])
  })

  test.each([
    ['invalid_argument', 'invalid_argument'],
    ['not_supported', 'not_supported'],
    ['already_answered', 'invalid_argument'],
  ])('may fail a call with its own words and %s', async (said, code) => {
    const { session, say } = await started()
    const failed = expect(session.call(CALL, running().one)).rejects.toMatchObject({ code, message: 'No timer runs' })
    say('tool.result', { call_id: 'c1', code: said, result: { message: 'No timer runs' } })
    await failed
  })

  test.each([null, 'text', {}, { message: 1 }])('whose result is %j breaks the rules', async (result) => {
    const { session, say } = await started()
    const failed = expect(session.call(CALL, running().one)).rejects.toMatchObject({ code: 'invalid_result' })
    say('tool.result', { call_id: 'c1', result })
    await failed
  })

  test('keeps up to 64 kB, and is told when it is more', async () => {
    const { say, store, sent } = await started()
    say('lineup.v1.miniapp.state', { value: { left: 3 } })
    expect(store.json).toBe('{"left":3}')
    say('lineup.v1.miniapp.state', { value: 'ü'.repeat(33_000) })
    expect(store.json).toBe('{"left":3}')
    expect(sent.at(-1)).toMatchObject({ type: 'error', payload: { code: 'too_large' } })
    say('lineup.v1.miniapp.state', { value: null })
    expect(store.json).toBe('')
  })

  test('says nothing by what is no envelope', async () => {
    const { session, store, sent, phases } = await started()
    for (const data of [null, {}, 1, '', 'x', '{"v":2}', '{"v":1,"id":"","type":"text","payload":{}}', 'x'.repeat(2_000_000)]) session.heard(data)
    expect(store.json).toBe('')
    expect(sent).toEqual([])
    expect(phases.at(-1)).toBe('started')
  })

  test('that floods the page is stopped', async () => {
    const { say, phases } = await started()
    for (let n = 0; n < 300; n += 1) say('system.pong')
    expect(phases.at(-1)).toBe('crashed')
  })

  test('is told of another look', async () => {
    const { session, types } = await started()
    session.lookChanged()
    expect(types()).toEqual(['system.hello'])
  })
})

test('before its hello it can do nothing but say it', () => {
  const { say, store, sent } = frame()
  say('lineup.v1.miniapp.state', { value: 1 })
  say('tool.result', { call_id: 'c1', result: { message: 'x' } })
  expect(store.json).toBe('')
  expect(sent).toEqual([])
})
