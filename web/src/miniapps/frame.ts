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
}

/** From the frame's creation to its hello. */
const START_MS = 10_000
/** While a call runs the frame is asked for a sign of life this often … */
const PING_MS = 5_000
/** … and is gone when the next is due and it left so many unanswered, so after 15 s. Not a time: a machine may have slept. */
const MOST_UNANSWERED = 2
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

  /** It ran before that moment and runs still. */
  hasRunSince(atMs: number): boolean {
    return this.#phase !== 'crashed' && this.#beganMs <= atMs
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
    if (this.#calls.size === 0) clearInterval(this.#pingTimer)
    return waiting
  }

  #watch(): void {
    clearInterval(this.#pingTimer)
    if (this.#calls.size === 0) return
    this.#unanswered = 0
    this.#pingTimer = setInterval(() => {
      if (this.#unanswered >= MOST_UNANSWERED) {
        this.#crash(new ToolError('app_gone', 'the MiniApp stopped answering'))
      } else {
        this.#unanswered += 1
        this.ping()
      }
    }, PING_MS)
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
    this.#allowance = BURST
    this.#enter('starting')
    clearTimeout(this.#startTimer)
    this.#startTimer = setTimeout(() => {
      this.#crash(new ToolError('start_failed', 'the MiniApp did not say hello within 10 s'))
    }, START_MS)
  }

  #crash(error: ToolError): void {
    clearTimeout(this.#startTimer)
    this.#enter('crashed')
    this.#failAll(error)
  }

  #failAll(error: ToolError): void {
    this.#fail([...this.#calls.keys()], error)
  }

  #fail(callIds: readonly string[], error: ToolError): void {
    for (const callId of callIds) this.#settle(callId)?.reject(error)
    clearInterval(this.#pingTimer)
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
