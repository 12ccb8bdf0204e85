import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import type { CallFacts, CallUpdate } from '../protocol/tools'
import { CallDesk, CallStop, type KeptCall, type Runner } from './desk'
import { ToolError, type ToolResult } from './result'

function aCall(callId = 'call-1'): CallFacts {
  return { callId, name: 'calculator', action: 'add', argumentsJson: '{"a":1,"b":2}', applicationId: '', agentId: 'a', timeoutMs: 60_000, atMs: 1 }
}

const THREE: ToolResult = { result: { message: '3' } }

/** A desk over a browser's storage, which outlives it. */
function desk(run: Runner, storage = new Map<string, KeptCall>()) {
  const sent: { update: CallUpdate; ref: string }[] = []
  let refs = 0
  const one = new CallDesk({
    send: (update, ref) => void sent.push({ update, ref }),
    load: () => Promise.resolve([...storage.values()]),
    keep: (kept) => {
      storage.set(kept.call.callId, kept)
      return Promise.resolve()
    },
    drop: (callId) => void storage.delete(callId),
    newRef: () => `ref-${storage.size}-${(refs += 1)}`,
    now: Date.now,
    run,
    said: () => undefined,
  })
  return { one, sent, storage, phases: () => sent.map(({ update }) => update.phase) }
}

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
})

afterEach(() => {
  vi.useRealTimers()
})

test('a call is accepted, runs, and gives one result', async () => {
  const { one, sent, phases } = desk(() => Promise.resolve({ ...THREE, instanceId: 'i1' }))
  await one.called(aCall())
  expect(phases()).toEqual(['accepted', 'succeeded'])
  expect(sent[1]?.update).toMatchObject({ resultJson: '{"message":"3"}', message: '3', instanceId: 'i1' })
})

test('it never runs twice, whenever it comes again', async () => {
  const run = vi.fn<Runner>(() => Promise.resolve(THREE))
  const { one, sent, phases } = desk(run)
  await Promise.all([one.called(aCall()), one.called(aCall())])
  await one.called(aCall())
  expect(run).toHaveBeenCalledTimes(1)
  expect(phases().filter((phase) => phase === 'succeeded').length).toBeGreaterThan(1)
  expect(new Set(sent.filter(({ update }) => update.phase === 'succeeded').map(({ ref }) => ref)).size).toBe(1)
})

describe('a failure', () => {
  test('has its code and words', async () => {
    const { one, sent } = desk(() => Promise.reject(new ToolError('invalid_argument', 'cannot divide by zero')))
    await one.called(aCall())
    expect(sent.at(-1)?.update).toMatchObject({ phase: 'failed', code: 'invalid_argument', message: 'cannot divide by zero' })
  })

  test('that nobody foresaw tells nothing of this device', async () => {
    const { one, sent } = desk(() => Promise.reject(new Error('/home/me/secret')))
    await one.called(aCall())
    expect(sent.at(-1)?.update).toMatchObject({ phase: 'failed', code: 'invalid_result' })
    expect(JSON.stringify(sent)).not.toContain('secret')
  })

  test('of a result that is too large', async () => {
    const { one, sent } = desk(() => Promise.resolve({ result: { message: 'x'.repeat(5_000_000) } }))
    await one.called(aCall())
    expect(sent.at(-1)?.update).toMatchObject({ phase: 'failed', code: 'too_large' })
  })
})

describe('over a reload', () => {
  test('the result is sent again and nothing runs', async () => {
    const before = desk(() => Promise.resolve(THREE))
    await before.one.called(aCall())
    const run = vi.fn<Runner>(() => Promise.resolve(THREE))
    const after = desk(run, before.storage)
    await after.one.called(aCall())
    expect(run).not.toHaveBeenCalled()
    expect(after.sent).toEqual([before.sent.at(-1)])
  })

  test('a call that was interrupted fails, for nobody knows how far it came', async () => {
    const before = desk(() => new Promise(() => undefined))
    void before.one.called(aCall())
    await vi.waitFor(() => {
      expect(before.phases()).toEqual(['accepted'])
    })
    const run = vi.fn<Runner>(() => Promise.resolve(THREE))
    const after = desk(run, before.storage)
    await after.one.called(aCall())
    expect(run).not.toHaveBeenCalled()
    expect(after.sent.at(-1)?.update).toMatchObject({ phase: 'failed', code: 'app_gone' })
  })

  test('a result without an ack goes out after the login, one with an ack does not', async () => {
    const before = desk(() => Promise.resolve(THREE))
    await before.one.called(aCall('a'))
    await before.one.called(aCall('b'))
    const ofA = before.sent.find(({ update }) => update.callId === 'a' && update.phase === 'succeeded')
    expect(before.one.heard(ofA?.ref ?? '')).toBe(true)
    expect(before.one.heard('somebody else’s')).toBe(false)
    const after = desk(() => Promise.resolve(THREE), before.storage)
    await after.one.online()
    expect(after.sent.map(({ update }) => update.callId)).toEqual(['b'])
  })

  test('what is older than a day is forgotten', async () => {
    const before = desk(() => Promise.resolve(THREE))
    await before.one.called(aCall())
    vi.advanceTimersByTime(25 * 3_600_000)
    const after = desk(() => Promise.resolve(THREE), before.storage)
    await after.one.online()
    expect(after.storage.size).toBe(0)
  })
})

describe.each([
  ['cancelled', '', 'cancelled'],
  ['cancelled', 'agent_ended', 'cancelled'],
  ['taken', '', 'taken'],
  ['expired', 'expired', 'expired'],
  ['succeeded', '', 'taken'],
  ['failed', 'no_answer', 'no_answer'],
  ['failed', '', 'app_gone'],
] as const)('%s by others with the code "%s"', (phase, told, code) => {
  test('stops the action, which hears why; its result is not told', async () => {
    let finish: (result: ToolResult) => void = () => undefined
    let signal: AbortSignal | undefined
    const { one, phases } = desk((_, running) => {
      signal = running.signal
      return new Promise((resolve) => {
        finish = resolve
      })
    })
    const done = one.called(aCall())
    await vi.waitFor(() => {
      expect(signal).toBeDefined()
    })
    await one.told({ callId: 'call-1', phase, code: told })
    expect(signal?.reason).toBeInstanceOf(CallStop)
    expect(signal?.reason).toMatchObject({ code })
    finish(THREE)
    await done
    expect(phases()).toEqual(['accepted'])
  })
})

test('progress goes out twice a second at most, and the latest always', async () => {
  let finish: (result: ToolResult) => void = () => undefined
  const { one, sent } = desk(async (_, { progress, receipt }) => {
    receipt('started')
    for (let step = 1; step <= 9; step += 1) progress(step, 9, `step ${step}`)
    return new Promise((resolve) => {
      finish = resolve
    })
  })
  const done = one.called(aCall())
  await vi.advanceTimersByTimeAsync(0)
  const steps = () => sent.filter(({ update }) => update.phase === 'progress').map(({ update }) => update.progress)
  expect(steps()).toEqual([1])
  await vi.advanceTimersByTimeAsync(500)
  expect(steps()).toEqual([1, 9])
  finish(THREE)
  await done
  expect(sent.at(-1)?.update.phase).toBe('succeeded')
})

test('it keeps the last two hundred calls', async () => {
  const { one, storage } = desk(() => Promise.resolve(THREE))
  for (let n = 0; n < 210; n += 1) await one.called(aCall(`call-${n}`))
  expect(storage.size).toBeLessThanOrEqual(200)
  expect(storage.has('call-209')).toBe(true)
  expect(storage.has('call-0')).toBe(false)
})
