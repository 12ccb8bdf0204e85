/**
 * Runs the calls that the relay gives to this tab. Each call runs once: what became of it is kept by
 * its id, also over a reload, and a call that comes again is answered with that.
 */
import { anUpdateOf, isEnd, type CallFacts, type CallPhase, type CallUpdate } from '../protocol/tools'
import { ToolError, type ToolResult } from './result'

/** A call and the last that was said about it. */
export interface KeptCall {
  readonly call: CallFacts
  readonly update: CallUpdate
  /** Stays the same when the update is sent again. */
  readonly ref: string
  readonly isConfirmed: boolean
  readonly atMs: number
}

/** What a running action may say and should listen to. */
export interface Running {
  /** Aborted when the call is over for this device; the reason is a `CallStop` if others ended it. */
  readonly signal: AbortSignal
  /** The app is being started, or has started. */
  readonly receipt: (phase: 'starting' | 'started') => void
  readonly progress: (progress: number, total: number, message: string) => void
}

/**
 * How others end a call that runs here: the agent withdrew it, its time is over, another device has
 * it, or the code with which the relay let it fail.
 */
export class CallStop {
  readonly code: string

  constructor({ phase, code }: Pick<CallUpdate, 'phase' | 'code'>) {
    // What succeeded without this device did so on another one.
    if (phase === 'succeeded') this.code = 'taken'
    else this.code = phase === 'failed' ? code || 'app_gone' : phase
  }
}

export type Runner = (call: CallFacts, running: Running) => Promise<ToolResult>

export interface DeskPort {
  /** Sends it if there is a connection. */
  readonly send: (update: CallUpdate, ref: string) => void
  readonly load: () => Promise<readonly KeptCall[]>
  readonly keep: (kept: KeptCall) => Promise<void>
  readonly drop: (callId: string) => void
  readonly newRef: () => string
  readonly now: () => number
  readonly run: Runner
  /** Something was said about a call; for the page's own list. */
  readonly said: (update: CallUpdate) => void
}

const KEPT = 200
const KEPT_MS = 24 * 3_600_000
/** Two a second. */
const PROGRESS_MS = 500
/** With the envelope around it a result has to fit into one message. */
const MOST_RESULT_CHARACTERS = 4_000_000

interface Current {
  readonly abort: AbortController
  lastProgressMs: number
  timer: ReturnType<typeof setTimeout> | undefined
}

export class CallDesk {
  readonly #port: DeskPort
  readonly #kept = new Map<string, KeptCall>()
  readonly #running = new Map<string, Current>()
  readonly #loaded: Promise<void>

  constructor(port: DeskPort) {
    this.#port = port
    this.#loaded = this.#load()
  }

  async #load(): Promise<void> {
    const kept = [...(await this.#port.load())].sort((a, b) => a.atMs - b.atMs)
    const oldest = this.#port.now() - KEPT_MS
    for (const [index, one] of kept.entries()) {
      const { callId } = one.call
      if (one.atMs < oldest || index < kept.length - KEPT) this.#port.drop(callId)
      else this.#kept.set(callId, one)
    }
  }

  /** The relay gives a call to this tab, perhaps not for the first time. */
  async called(call: CallFacts): Promise<void> {
    await this.#loaded
    const known = this.#kept.get(call.callId)
    if (!known) await this.#start(call)
    else if (isEnd(known.update.phase) || this.#running.has(call.callId)) this.#port.send(known.update, known.ref)
    else await this.#finish(call, failure(call, new ToolError('app_gone', 'the page was reloaded while the call ran')))
  }

  /** The relay says what became of a call: another device has it, or it is over. */
  async told({ callId, phase, code }: Pick<CallUpdate, 'callId' | 'phase' | 'code'>): Promise<void> {
    await this.#loaded
    const known = this.#kept.get(callId)
    if (!known || isEnd(known.update.phase) || !isEnd(phase)) return
    this.#stop(callId, new CallStop({ phase, code }))
    await this.#keep({ ...known, update: anUpdateOf(callId, phase), isConfirmed: true })
  }

  /** An ack of the relay; true if it was for an update of a call. */
  heard(ref: string): boolean {
    const known = [...this.#kept.values()].find((one) => one.ref === ref)
    if (!known) return false
    void this.#keep({ ...known, isConfirmed: true })
    return true
  }

  /** After a login: results that nobody confirmed go out again. */
  async online(): Promise<void> {
    await this.#loaded
    for (const { update, ref, isConfirmed } of this.#kept.values()) {
      if (!isConfirmed && isEnd(update.phase)) this.#port.send(update, ref)
    }
  }

  async #start(call: CallFacts): Promise<void> {
    const { callId } = call
    const current: Current = { abort: new AbortController(), lastProgressMs: 0, timer: undefined }
    this.#running.set(callId, current)
    this.#forgetOldest()
    // Kept before it runs: after a reload it must not run again.
    await this.#say(call, 'accepted')
    const running: Running = {
      signal: current.abort.signal,
      receipt: (phase) => {
        if (!current.abort.signal.aborted) void this.#say(call, phase)
      },
      progress: (progress, total, message) => {
        this.#progress(call, current, { progress, total, message })
      },
    }
    let update: CallUpdate
    try {
      update = success(call, await this.#port.run(call, running))
    } catch (error) {
      update = failure(call, error)
    }
    if (!current.abort.signal.aborted) await this.#finish(call, update)
  }

  /** At most two a second; the latest is never lost to that. */
  #progress(call: CallFacts, current: Current, part: Pick<CallUpdate, 'progress' | 'total' | 'message'>): void {
    if (current.abort.signal.aborted) return
    clearTimeout(current.timer)
    const wait = current.lastProgressMs + PROGRESS_MS - this.#port.now()
    const tell = () => {
      current.lastProgressMs = this.#port.now()
      void this.#say(call, 'progress', part)
    }
    if (wait <= 0) tell()
    else current.timer = setTimeout(tell, wait)
  }

  async #say(call: CallFacts, phase: CallPhase, part: Partial<CallUpdate> = {}): Promise<void> {
    await this.#put(call, anUpdateOf(call.callId, phase, part))
  }

  async #finish(call: CallFacts, update: CallUpdate): Promise<void> {
    this.#stop(call.callId)
    await this.#put(call, update)
  }

  async #put(call: CallFacts, update: CallUpdate): Promise<void> {
    const kept = { call, update, ref: this.#port.newRef(), isConfirmed: false, atMs: this.#port.now() }
    await this.#keep(kept)
    // A later word may have overtaken it while it was written.
    if (this.#kept.get(call.callId)?.ref !== kept.ref) return
    this.#port.send(update, kept.ref)
    this.#port.said(update)
  }

  #keep(kept: KeptCall): Promise<void> {
    this.#kept.set(kept.call.callId, kept)
    return this.#port.keep(kept)
  }

  #stop(callId: string, why?: CallStop): void {
    const current = this.#running.get(callId)
    clearTimeout(current?.timer)
    current?.abort.abort(why)
    this.#running.delete(callId)
  }

  #forgetOldest(): void {
    for (const callId of this.#kept.keys()) {
      if (this.#kept.size < KEPT) break
      if (this.#running.has(callId)) continue
      this.#kept.delete(callId)
      this.#port.drop(callId)
    }
  }
}

function success(call: CallFacts, { result, contents = [], instanceId = '' }: ToolResult): CallUpdate {
  const resultJson = JSON.stringify(result)
  if (resultJson.length > MOST_RESULT_CHARACTERS) return failure(call, new ToolError('too_large', 'the result is too large'))
  return anUpdateOf(call.callId, 'succeeded', { resultJson, contents, instanceId, message: result.message.slice(0, 2_000) })
}

function failure(call: CallFacts, error: unknown): CallUpdate {
  // Whatever else it was: its words may have things of this device in them.
  const { code, message } = error instanceof ToolError ? error : new ToolError('invalid_result', 'the tool failed on this device')
  return anUpdateOf(call.callId, 'failed', { code, message })
}
