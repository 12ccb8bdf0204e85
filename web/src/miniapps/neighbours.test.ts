import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import type { CallFacts } from '../protocol/tools'
import { FrameSession, type FramePhase } from './frame'
import { checkNeighbours, endSilent } from './neighbours'

const CALL: CallFacts = { callId: 'c1', name: 'timer', action: 'start', argumentsJson: '{}', applicationId: 'a', agentId: 'a', timeoutMs: 0, atMs: 0 }
const RUNNING = { signal: new AbortController().signal, receipt: () => undefined, progress: () => undefined }

/** The MiniApps of one page, which looks after them itself if it `isWhole`. */
let all: FrameSession[] = []
let isWhole = false

/** A MiniApp that says hello, and answers pings if its process lives. */
function neighbour(lives: boolean | (() => boolean) = true, saysHello = true) {
  const isAlive = typeof lives === 'function' ? lives : () => lives
  const phases: FramePhase[] = []
  let reloads = 0
  const say = (type: string) => {
    session.heard(JSON.stringify({ v: 1, id: 'f', type, payload: {} }))
  }
  const session: FrameSession = new FrameSession({
    post: (text) => {
      if (isAlive() && text.includes('system.ping')) say('system.pong')
    },
    newId: () => 'id',
    now: Date.now,
    look: () => ({ locale: 'en', theme: 'dark' }),
    state: () => Promise.resolve(''),
    keep: () => undefined,
    changed: (phase) => {
      phases.push(phase)
      if (phase === 'crashed' && isWhole) checkNeighbours(() => all, Date.now)
    },
    reload: () => void (reloads += 1),
    silent: () => {
      endSilent(session, all)
    },
  })
  all.push(session)
  if (saysHello) say('system.hello')
  return { session, phases, reloads: () => reloads }
}

async function check(): Promise<void> {
  await vi.advanceTimersByTimeAsync(1)
  checkNeighbours(() => all, Date.now)
  await vi.advanceTimersByTimeAsync(5_000)
}

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
  all = []
  isWhole = false
})

afterEach(() => {
  vi.useRealTimers()
})

test('those that answer stay as they are', async () => {
  const one = neighbour()
  await check()
  expect(one.reloads()).toBe(0)
  expect(one.phases).toEqual(['starting', 'started'])
})

test('one that does not answer begins anew, and its calls are told', async () => {
  const [hung, well] = [neighbour(false), neighbour()]
  const failed = expect(hung.session.call(CALL, RUNNING)).rejects.toMatchObject({
    code: 'app_gone',
    message: 'another MiniApp stopped answering, and this one with it',
  })
  await check()
  await failed
  expect(hung.phases).toEqual(['starting', 'started', 'starting'])
  expect([hung.reloads(), well.reloads()]).toEqual([1, 0])
})

test('one that began in the hung process goes too, and its call waits for the new start', async () => {
  const hung = neighbour(false)
  await vi.advanceTimersByTimeAsync(1)
  checkNeighbours(() => all, Date.now)
  await vi.advanceTimersByTimeAsync(1_000)
  const late = neighbour(true, false)
  const call = late.session.call(CALL, RUNNING)
  await vi.advanceTimersByTimeAsync(4_000)
  expect([hung.reloads(), late.reloads()]).toEqual([1, 1])
  late.session.heard(JSON.stringify({ v: 1, id: '1', type: 'system.hello', payload: {} }))
  late.session.heard(JSON.stringify({ v: 1, id: '2', type: 'tool.result', payload: { call_id: 'c1', result: { message: 'ok' } } }))
  await expect(call).resolves.toEqual({ result: { message: 'ok' } })
})

test('one that began after the crash has its ten seconds, if nothing hangs', async () => {
  neighbour()
  await vi.advanceTimersByTimeAsync(1)
  checkNeighbours(() => all, Date.now)
  await vi.advanceTimersByTimeAsync(1_000)
  const late = neighbour(true, false)
  await vi.advanceTimersByTimeAsync(4_000)
  expect(late.reloads()).toBe(0)
})

test('one that has crashed itself is left so', async () => {
  const one = neighbour(false, false)
  await vi.advanceTimersByTimeAsync(10_000)
  await check()
  expect(one.reloads()).toBe(0)
  expect(one.phases).toEqual(['starting', 'crashed'])
})

describe('of several with calls that hang together', () => {
  const BLAMED = 'the MiniApp stopped answering; another open one may be the cause'
  const INNOCENT = 'another MiniApp stopped answering, and this one with it'
  let isHung = false

  /** A call that fails, with the words that it fails with. */
  function call(of: { readonly session: FrameSession }, callId: string, message: string) {
    return expect(of.session.call({ ...CALL, callId }, RUNNING)).rejects.toMatchObject({ code: 'app_gone', message })
  }

  /** Two that started long ago, in one process. */
  async function two() {
    isWhole = true
    isHung = false
    const both = [neighbour(() => !isHung), neighbour(() => !isHung)] as const
    await vi.advanceTimersByTimeAsync(60_000)
    return both
  }

  // The pings of the one that waits run out before those of the other, and once after them.
  test.each([0, 1_000, 4_999, 5_000, 12_345])('the one that was called last stops, and the other begins anew: %i ms', async (lead) => {
    const [waiting, looping] = await two()
    const failed = [call(waiting, 'w', INNOCENT)]
    await vi.advanceTimersByTimeAsync(lead)
    waiting.session.heard(JSON.stringify({ v: 1, id: 'p', type: 'tool.progress', payload: { call_id: 'w', progress: 1 } }))
    isHung = true
    failed.push(call(looping, 'l', BLAMED))
    await vi.advanceTimersByTimeAsync(20_000)
    await Promise.all(failed)
    expect(waiting.phases).toEqual(['starting', 'started', 'starting'])
    expect(looping.phases).toEqual(['starting', 'started', 'crashed'])
  })

  test('one that is called when all hang already is not to blame', async () => {
    const [waiting, looping] = await two()
    isHung = true
    const failed = [call(looping, 'l', BLAMED)]
    await vi.advanceTimersByTimeAsync(3_000)
    failed.push(call(waiting, 'w', INNOCENT))
    await vi.advanceTimersByTimeAsync(17_000)
    await Promise.all(failed)
    expect(waiting.phases.at(-1)).toBe('starting')
    expect(looping.phases.at(-1)).toBe('crashed')
  })

  test('one whose own time runs out while the neighbours of another are checked goes with these', async () => {
    const [waiting] = await two()
    const failed = [call(waiting, 'w', INNOCENT)]
    await vi.advanceTimersByTimeAsync(4_000)
    isHung = true
    const starting = neighbour(false, false)
    await vi.advanceTimersByTimeAsync(16_000)
    await Promise.all(failed)
    expect(waiting.phases).toEqual(['starting', 'started', 'starting'])
    expect(starting.phases).toEqual(['starting', 'crashed'])
  })

  test('one that spoke after its call is to blame only if all did, and then the one called last', async () => {
    const [early, late] = await two()
    const failed = [call(early, 'e', INNOCENT)]
    await vi.advanceTimersByTimeAsync(6_000)
    failed.push(call(late, 'l', BLAMED))
    await vi.advanceTimersByTimeAsync(6_000)
    isHung = true
    await vi.advanceTimersByTimeAsync(20_000)
    await Promise.all(failed)
    expect(early.phases.at(-1)).toBe('starting')
    expect(late.phases.at(-1)).toBe('crashed')
  })
})
