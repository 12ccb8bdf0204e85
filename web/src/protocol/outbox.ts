/**
 * Replies on their way. An entry lives until the relay's ack: held (undo time) → queued → sending →
 * gone when accepted, or refused. The same `ref` goes out after every reconnect, so the relay
 * counts it once.
 */
import type { AckFacts } from './events'
import type { AnswerView, ErrorCodeName, ReplyAction, RequestKind } from './view'

/** `refused` stays until the human has seen it; all others go out by themselves. */
type OutboxState = 'held' | 'queued' | 'sending' | 'refused'

export interface OutboxEntry {
  readonly ref: string
  readonly requestId: string
  readonly agentId: string
  /** A text answers nothing; its `requestId` is its own. A call's answer is its result. */
  readonly kind: RequestKind | 'text' | 'call'
  /** What it answers, in a line; "" for what answers nothing. */
  readonly title: string
  readonly action: ReplyAction
  readonly answers: readonly AnswerView[]
  readonly text: string
  readonly inputJson: string
  /** The result of a call; "" for everything else. */
  readonly resultJson: string
  /** It is kept in memory only. */
  readonly isSecret: boolean
  /** Ids of what goes with it; their bytes are kept elsewhere. */
  readonly attachments: readonly string[]
  readonly createdMs: number
  /** Not sent before this; page clock, Unix ms. */
  readonly notBeforeMs: number
  readonly state: OutboxState
  /** How often it went into a socket. */
  readonly attempts: number
  readonly code: ErrorCodeName
  readonly message: string
}

export type Outbox = readonly OutboxEntry[]

/** The relay may take it later: keep it and try again. */
const RETRY_CODES: ReadonlySet<ErrorCodeName> = new Set(['log_unavailable', 'rate_limited'])
const FIRST_RETRY_MS = 2_000
const MAX_RETRY_MS = 60_000

export function add(outbox: Outbox, entry: OutboxEntry): Outbox {
  return [...outbox.filter(({ requestId }) => requestId !== entry.requestId), entry]
}

export function remove(outbox: Outbox, ref: string): Outbox {
  return outbox.filter((entry) => entry.ref !== ref)
}

/** Entries that may go out now. */
export function due(outbox: Outbox, nowMs: number): OutboxEntry[] {
  return outbox.filter(
    ({ state, notBeforeMs }) => (state === 'held' || state === 'queued') && notBeforeMs <= nowMs,
  )
}

/** When the next entry becomes due; null if none waits for a time. */
export function nextDueMs(outbox: Outbox, nowMs: number): number | null {
  const times = outbox
    .filter(({ state }) => state === 'held' || state === 'queued')
    .map(({ notBeforeMs }) => notBeforeMs)
    .filter((time) => time > nowMs)
  return times.length > 0 ? Math.min(...times) : null
}

export function markSending(outbox: Outbox, ref: string): Outbox {
  return update(outbox, ref, (entry) => ({
    ...entry,
    state: 'sending',
    attempts: entry.attempts + 1,
    code: '',
    message: '',
  }))
}

/** The undo time is over at once, for example because the page is being hidden. */
export function releaseHeld(outbox: Outbox): Outbox {
  if (!outbox.some(({ state }) => state === 'held')) return outbox
  return outbox.map((entry) =>
    entry.state === 'held' ? { ...entry, state: 'queued', notBeforeMs: 0 } : entry,
  )
}

/** Entries whose undo time is over are on their way, with or without a connection. */
export function endUndo(outbox: Outbox, nowMs: number): Outbox {
  const isOver = ({ state, notBeforeMs }: OutboxEntry) => state === 'held' && notBeforeMs <= nowMs
  if (!outbox.some(isOver)) return outbox
  return outbox.map((entry) => (isOver(entry) ? { ...entry, state: 'queued' } : entry))
}

/** The connection is gone: what had no ack yet waits for the next one. */
export function disconnected(outbox: Outbox): Outbox {
  if (!outbox.some(({ state }) => state === 'sending')) return outbox
  return outbox.map((entry) => (entry.state === 'sending' ? { ...entry, state: 'queued' } : entry))
}

/** After a reload nothing is in a socket any more, and nobody sees an undo bar. */
export function restored(outbox: Outbox): Outbox {
  return disconnected(releaseHeld(outbox))
}

/** Applies an ack: accepted entries leave, refused ones stay with the reason. */
export function acknowledge(outbox: Outbox, ack: AckFacts, nowMs: number): Outbox {
  if (ack.accepted) return remove(outbox, ack.ref)
  return update(outbox, ack.ref, (entry) =>
    RETRY_CODES.has(ack.code)
      ? { ...entry, ...reason(ack), state: 'queued', notBeforeMs: nowMs + retryDelay(entry.attempts) }
      : { ...entry, ...reason(ack), state: 'refused' },
  )
}

function reason({ code, message }: AckFacts) {
  return { code, message }
}

function retryDelay(attempts: number): number {
  return Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 10))
}

function update(outbox: Outbox, ref: string, change: (entry: OutboxEntry) => OutboxEntry): Outbox {
  return outbox.map((entry) => (entry.ref === ref ? change(entry) : entry))
}
