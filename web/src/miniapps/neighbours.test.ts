import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import type { CallFacts } from '../protocol/tools'
import { FrameSession, type FramePhase } from './frame'
import { checkNeighbours } from './neighbours'

const CALL: CallFacts = { callId: 'c1', name: 'timer', action: 'start', argumentsJson: '{}', applicationId: 'a', agentId: 'a', timeoutMs: 0, atMs: 0 }
const RUNNING = { signal: new AbortController().signal, receipt: () => undefined, progress: () => undefined }

/** A MiniApp that says hello, and answers pings if its process lives. */
function neighbour(isAlive = true, saysHello = true) {
  const phases: FramePhase[] = []
  let reloads = 0
  const say = (type: string) => {
    session.heard(JSON.stringify({ v: 1, id: 'f', type, payload: {} }))
  }
  const session: FrameSession = new FrameSession({
    post: (text) => {
      if (isAlive && text.includes('system.ping')) say('system.pong')
    },
    newId: () => 'id',
    now: Date.now,
    look: () => ({ locale: 'en', theme: 'dark' }),
    state: () => Promise.resolve(''),
    keep: () => undefined,
    changed: (phase) => void phases.push(phase),
    reload: () => void (reloads += 1),
  })
  if (saysHello) say('system.hello')
  return { session, phases, reloads: () => reloads }
}

async function check(...all: readonly { readonly session: FrameSession }[]): Promise<void> {
  await vi.advanceTimersByTimeAsync(1)
  checkNeighbours(() => all.map(({ session }) => session), Date.now)
  await vi.advanceTimersByTimeAsync(5_000)
}

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
})

afterEach(() => {
  vi.useRealTimers()
})

test('those that answer stay as they are', async () => {
  const one = neighbour()
  await check(one)
  expect(one.reloads()).toBe(0)
  expect(one.phases).toEqual(['starting', 'started'])
})

test('one that does not answer begins anew, and its calls are told', async () => {
  const [hung, well] = [neighbour(false), neighbour()]
  const failed = expect(hung.session.call(CALL, RUNNING)).rejects.toMatchObject({
    code: 'app_gone',
    message: 'another MiniApp stopped answering, and this one with it',
  })
  await check(hung, well)
  await failed
  expect(hung.phases).toEqual(['starting', 'started', 'starting'])
  expect([hung.reloads(), well.reloads()]).toEqual([1, 0])
})

test('one that began in the hung process goes too, and its call waits for the new start', async () => {
  const hung = neighbour(false)
  await vi.advanceTimersByTimeAsync(1)
  const all = [hung]
  checkNeighbours(() => all.map(({ session }) => session), Date.now)
  await vi.advanceTimersByTimeAsync(1_000)
  const late = neighbour(true, false)
  all.push(late)
  const call = late.session.call(CALL, RUNNING)
  await vi.advanceTimersByTimeAsync(4_000)
  expect([hung.reloads(), late.reloads()]).toEqual([1, 1])
  late.session.heard(JSON.stringify({ v: 1, id: '1', type: 'system.hello', payload: {} }))
  late.session.heard(JSON.stringify({ v: 1, id: '2', type: 'tool.result', payload: { call_id: 'c1', result: { message: 'ok' } } }))
  await expect(call).resolves.toEqual({ result: { message: 'ok' } })
})

test('one that began after the crash has its ten seconds, if nothing hangs', async () => {
  const all: { readonly session: FrameSession }[] = [neighbour()]
  await vi.advanceTimersByTimeAsync(1)
  checkNeighbours(() => all.map(({ session }) => session), Date.now)
  await vi.advanceTimersByTimeAsync(1_000)
  const late = neighbour(true, false)
  all.push(late)
  await vi.advanceTimersByTimeAsync(4_000)
  expect(late.reloads()).toBe(0)
})

test('one that has crashed itself is left so', async () => {
  const one = neighbour(false, false)
  await vi.advanceTimersByTimeAsync(10_000)
  await check(one)
  expect(one.reloads()).toBe(0)
  expect(one.phases).toEqual(['starting', 'crashed'])
})
