/**
 * The conversation with one MiniApp in its frame: seed 000's envelopes as JSON texts. The frame is
 * hostile until shown otherwise: it gets nothing secret, and what it says is measured and checked.
 */
import { encodeEnvelope, parseEnvelope, type Envelope } from '../protocol/envelope'
import { argumentsOf, type CallFacts } from '../protocol/tools'
import { CallStop, type Running } from '../tools/desk'
import { ToolError, type ToolResult } from '../tools/result'

export type FramePhase = 'starting' | 'started' | 'crashed'

/** What the frame may know of the page around it. */
export interface FrameLook {
  readonly locale: string
  readonly theme: 'light' | 'dark'
}

export interface FramePort {
  /** Posts a text into the frame. */
  readonly post: (text: string) => void
  readonly newId: () => string
  readonly now: () => number
  readonly look: () => FrameLook
  /** What the MiniApp wants kept, as JSON text; "" for nothing. */
  readonly state: () => Promise<string>
  readonly keep: (json: string) => void
  readonly changed: (phase: FramePhase) => void
  /** Puts another frame in place of this one. */
  readonly reload: () => void
  /** It leaves pings unanswered; whether it or another one is to blame is for the page to say. */
  readonly silent: () => void
}

/** From the frame's creation to its hello. */
const START_MS = 10_000
/** While a call runs the frame is asked for a sign of life this often … */
const PING_MS = 5_000
/** … and is gone when the next is due and it left so many unanswered, so after 15 s. Not a time: a machine may have slept. */
const MOST_UNANSWERED = 2
/** One that answers pings is not silent for so long; one that hangs with another is, when the first of them is gone. */
const SILENT_MS = 8_000
const MOST_CHARACTERS = 1_000_000
const MOST_STATE_BYTES = 64 * 1024
/** A frame may say this much at once, and so much a second after that. */
const BURST = 200
const PER_SECOND = 50

/** Reasons that a MiniApp may give; all others are its word for "these arguments will not do". */
const CODES = ['invalid_argument', 'not_supported', 'too_large'] as const

interface Waiting {
  readonly running: Running
  readonly resolve: (result: ToolResult) => void
  readonly reject: (error: ToolError) => void
}

export class FrameSession {
  readonly #port: FramePort
  readonly #calls = new Map<string, Waiting>()
  readonly #queued = new Map<string, string>()
  #phase: FramePhase = 'starting'
  #startTimer: ReturnType<typeof setTimeout> | undefined
  #pingTimer: ReturnType<typeof setInterval> | undefined
  #unanswered = 0
  #beganMs = 0
  #heardMs = 0
  #crashedMs = 0
  #askedMs = 0
  #isMute = false
  #allowance = BURST
  #allowanceMs = 0

  constructor(port: FramePort) {
    this.#port = port
    this.#begin()
  }

  /** The frame loads anew: what ran in it is lost. */
  restarted(): void {
    this.#failAll(new ToolError('app_gone', 'the MiniApp was reloaded'))
    this.#begin()
  }

  /** It hung because another one did, and gets a new frame. Calls that had not gone in wait for that. */
  takenDown(): void {
    this.#fail([...this.#calls.keys()].filter((id) => !this.#queued.has(id)), new ToolError('app_gone', 'another MiniApp stopped answering, and this one with it'))
    this.#port.reload()
    this.#begin()
  }

  /** It stopped answering, and is to blame as far as can be known. `isAlone`: no other one is silent. */
  hung(isAlone: boolean): void {
    this.#crash(new ToolError('app_gone', isAlone ? 'the MiniApp stopped answering' : 'the MiniApp stopped answering; another open one may be the cause'))
  }

  /** Its start or a call that went in, after which nothing was heard; `isMute` false: something was heard after the latest. */
  get asked(): { readonly atMs: number; readonly isMute: boolean } {
    return { atMs: this.#askedMs, isMute: this.#isMute }
  }

  /** It is asked for a sign of life and has given none for long. */
  get isSilent(): boolean {
    const isAsked = this.#phase === 'starting' || (this.#phase === 'started' && this.#unanswered > 0)
    return isAsked && Math.max(this.#heardMs, this.#beganMs) <= this.#port.now() - SILENT_MS
  }

  /** It crashed after the last sign of life of another one. */
  hasCrashedSince(other: FrameSession): boolean {
    return this.#crashedMs > other.#heardMs
  }

  /** It ran before that moment and runs still. */
  hasRunSince(atMs: number): boolean {
    return this.#phase !== 'crashed' && this.#beganMs < atMs
  }

  /** Its frame has said nothing from that moment on. */
  isSilentSince(atMs: number): boolean {
    return this.#phase !== 'crashed' && this.#heardMs < atMs
  }

  /** Asks for a sign of life. */
  ping(): void {
    if (this.#phase === 'started') this.#post(this.#envelope('system.ping', {}))
  }

  /** The frame is taken away. */
  closed(): void {
    clearTimeout(this.#startTimer)
    this.#failAll(new ToolError('app_gone', 'the MiniApp was closed'))
  }

  /** Language or theme changed. */
  lookChanged(): void {
    if (this.#phase === 'started') this.#greet()
  }

  /** Calls an action; before the hello it waits for that. */
  call(call: CallFacts, running: Running): Promise<ToolResult> {
    if (this.#phase === 'crashed') {
      this.#port.reload()
      this.#begin()
    }
    const { callId: call_id, name, action, argumentsJson } = call
    const text = this.#envelope('tool.call', { name, action, call_id, arguments: argumentsOf(argumentsJson) ?? {} })
    const promise = new Promise<ToolResult>((resolve, reject) => {
      this.#calls.set(call_id, { running, resolve, reject })
    })
    running.signal.addEventListener('abort', () => {
      this.#ended(call_id, running.signal.reason)
    })
    if (this.#phase === 'started') {
      this.#asks()
      this.#post(text)
      this.#watch()
    } else {
      this.#queued.set(call_id, text)
      running.receipt('starting')
    }
    return promise
  }

  /** A message of the frame itself; the caller checked who sent it. */
  heard(data: unknown): void {
    if (this.#phase === 'crashed' || !this.#mayTalk()) return
    if (typeof data !== 'string' || data.length > MOST_CHARACTERS) return
    const parsed = parseEnvelope(data)
    if (!('envelope' in parsed)) return
    this.#heardMs = this.#port.now()
    this.#unanswered = 0
    this.#isMute = false
    const { type, payload } = parsed.envelope
    if (type === 'system.hello') void this.#started()
    else if (this.#phase === 'started') this.#take(type, payload)
  }

  #take(type: string, payload: Envelope['payload']): void {
    switch (type) {
      case 'tool.receipt':
      case 'tool.progress':
        this.#progress(payload)
        break
      case 'tool.result':
        this.#result(payload)
        break
      case 'lineup.v1.miniapp.state':
        this.#keep(payload.value)
        break
    }
  }

  async #started(): Promise<void> {
    clearTimeout(this.#startTimer)
    this.#enter('started')
    this.#greet()
    const json = await this.#port.state()
    this.#post(this.#envelope('lineup.v1.miniapp.state', { value: json ? (JSON.parse(json) as unknown) : null }))
    for (const [callId, text] of this.#queued) {
      this.#calls.get(callId)?.running.receipt('started')
      this.#asks()
      this.#post(text)
    }
    this.#queued.clear()
    this.#watch()
  }

  #greet(): void {
    this.#post(this.#envelope('system.hello', { name: 'LineUp', ...this.#port.look() }))
  }

  #progress({ call_id, progress, total, message }: Envelope['payload']): void {
    const waiting = this.#calls.get(String(call_id))
    if (typeof progress !== 'number' || !Number.isFinite(progress)) return
    const end = typeof total === 'number' && Number.isFinite(total) ? total : 0
    waiting?.running.progress(progress, end, typeof message === 'string' ? message.slice(0, 2_000) : '')
  }

  #result({ call_id, result, code }: Envelope['payload']): void {
    const waiting = this.#settle(String(call_id))
    if (!waiting) return
    const message = messageOf(result)
    if (message === null) {
      waiting.reject(new ToolError('invalid_result', 'the result of the MiniApp has no result.message'))
    } else if (typeof code === 'string' && code) {
      waiting.reject(new ToolError(CODES.find((known) => known === code) ?? 'invalid_argument', message.slice(0, 2_000)))
    } else {
      waiting.resolve({ result: { ...(result as Record<string, unknown>), message } })
    }
  }

  #keep(value: unknown): void {
    const json = value === null || value === undefined ? '' : JSON.stringify(value)
    if (new TextEncoder().encode(json).length <= MOST_STATE_BYTES) this.#port.keep(json)
    else this.#post(this.#envelope('error', { code: 'too_large', message: 'the state has more than 64 kB and was not kept' }))
  }

  /** A call is over without a result of the MiniApp, which is told if it has heard of the call. */
  #ended(call_id: string, why: unknown): void {
    const isKnown = !this.#queued.has(call_id)
    const waiting = this.#settle(call_id)
    if (!waiting) return
    if (isKnown && why instanceof CallStop) this.#post(this.#envelope('tool.cancel', { call_id, code: why.code }))
    waiting.reject(new ToolError('app_gone', 'the call is over'))
  }

  /** Takes a call out of those that wait. */
  #settle(callId: string): Waiting | undefined {
    const waiting = this.#calls.get(callId)
    this.#calls.delete(callId)
    this.#queued.delete(callId)
    if (this.#calls.size === 0) this.#unwatch()
    return waiting
  }

  /** A call more changes nothing: it would give one that hangs more time. */
  #watch(): void {
    if (this.#calls.size === 0 || this.#pingTimer !== undefined) return
    this.#unanswered = 0
    this.#pingTimer = setInterval(() => {
      if (this.#unanswered >= MOST_UNANSWERED) {
        this.#port.silent()
      } else {
        this.#unanswered += 1
        this.ping()
      }
    }, PING_MS)
  }

  /** Something goes in that could make it hang: of those that nothing is heard after, the first counts. */
  #asks(): void {
    if (!this.#isMute) this.#askedMs = this.#port.now()
    this.#isMute = true
  }

  #mayTalk(): boolean {
    const now = this.#port.now()
    this.#allowance = Math.min(BURST, this.#allowance + ((now - this.#allowanceMs) / 1000) * PER_SECOND)
    this.#allowanceMs = now
    if (this.#allowance < 1) {
      this.#crash(new ToolError('app_gone', 'the MiniApp sent too many messages'))
      return false
    }
    this.#allowance -= 1
    return true
  }

  #begin(): void {
    this.#beganMs = this.#allowanceMs = this.#port.now()
    this.#heardMs = 0
    this.#isMute = false
    this.#asks()
    this.#allowance = BURST
    this.#enter('starting')
    clearTimeout(this.#startTimer)
    this.#startTimer = setTimeout(() => {
      this.#crash(new ToolError('start_failed', 'the MiniApp did not say hello within 10 s'))
    }, START_MS)
  }

  #crash(error: ToolError): void {
    clearTimeout(this.#startTimer)
    this.#crashedMs = this.#port.now()
    this.#enter('crashed')
    this.#failAll(error)
  }

  #failAll(error: ToolError): void {
    this.#fail([...this.#calls.keys()], error)
  }

  #fail(callIds: readonly string[], error: ToolError): void {
    for (const callId of callIds) this.#settle(callId)?.reject(error)
    this.#unwatch()
  }

  #unwatch(): void {
    clearInterval(this.#pingTimer)
    this.#pingTimer = undefined
  }

  #enter(phase: FramePhase): void {
    this.#phase = phase
    this.#port.changed(phase)
  }

  #envelope(type: string, payload: Envelope['payload']): string {
    return encodeEnvelope({ id: this.#port.newId(), type, payload })
  }

  #post(text: string): void {
    this.#port.post(text)
  }
}

function messageOf(result: unknown): string | null {
  if (typeof result !== 'object' || result === null || !('message' in result)) return null
  return typeof result.message === 'string' ? result.message : null
}
