/**
 * The room as this page knows it: a fold over events. Applying the same event twice, or a piece of
 * history again, changes nothing; an end state never becomes pending again.
 */
import { mergeCall, trimmed, type CallView } from './callLog'
import type { RoomEvent } from './events'
import { mergePicture, mergeText } from './texts'
import type { AgentFacts, ReplyFacts, RequestFacts, RequestPhase, RequestView, ShownPicture, StateUpdate, TextView } from './view'

export interface RoomState {
  readonly requests: ReadonlyMap<string, RequestView>
  readonly texts: ReadonlyMap<string, TextView>
  readonly pictures: ReadonlyMap<string, ShownPicture>
  /** Tool calls that no human answers. */
  readonly calls: ReadonlyMap<string, CallView>
  /** What is known of requests that are in a page of the log which was not read yet. */
  readonly ahead: ReadonlyMap<string, readonly StateEvent[]>
}

type StateEvent = Extract<RoomEvent, { type: 'state' }>
type RequestEvent = Extract<RoomEvent, { type: 'request' | 'reply' | 'state' }>

export const EMPTY_ROOM: RoomState = { requests: new Map(), texts: new Map(), pictures: new Map(), calls: new Map(), ahead: new Map() }

const DEFAULT_TIMEOUT_SECONDS = 600

interface Maps {
  readonly requests: Map<string, RequestView>
  readonly texts: Map<string, TextView>
  readonly pictures: Map<string, ShownPicture>
  readonly calls: Map<string, CallView>
  readonly ahead: Map<string, readonly StateEvent[]>
}

/** Applies a batch; returns the same object if nothing changed. */
export function applyEvents(room: RoomState, events: readonly RoomEvent[]): RoomState {
  const maps: Maps = {
    requests: new Map(room.requests),
    texts: new Map(room.texts),
    pictures: new Map(room.pictures),
    calls: new Map(room.calls),
    ahead: new Map(room.ahead),
  }
  const changes = events.filter((event, index) => apply(maps, event, events, index))
  return changes.length > 0 ? { ...maps, calls: trimmed(maps.calls) } : room
}

/** Applies one event; true if something changed. */
function apply(maps: Maps, event: RoomEvent, events: readonly RoomEvent[], index: number): boolean {
  switch (event.type) {
    case 'text':
      return put(maps.texts, event.text.id, mergeText(maps.texts.get(event.text.id), event.text))
    case 'picture': {
      const { id } = event.shown
      return put(maps.pictures, id, mergePicture(maps.pictures.get(id), event.shown, events, index))
    }
    case 'call':
      return put(maps.calls, event.call.callId, mergeCall(maps.calls.get(event.call.callId), event))
    case 'callUpdate': {
      const { callId } = event.update
      return put(maps.calls, callId, mergeCall(maps.calls.get(callId), event))
    }
    default:
      return applyRequest(maps, event)
  }
}

function applyRequest({ requests, ahead }: Maps, event: RequestEvent): boolean {
  const id = event.type === 'state' ? event.update.requestId : event.request.id
  const before = requests.get(id)
  if (!before && event.type === 'state') {
    // Live news without a number are about what the log does not have.
    return event.seq > 0 && put(ahead, id, [...(ahead.get(id) ?? []), event])
  }
  const later = before ? [] : (ahead.get(id) ?? [])
  const now = later.reduce<RequestView | undefined>(applyToRequest, applyToRequest(before, event))
  ahead.delete(id)
  return put(requests, id, now)
}

/** Keeps a value; false if it is none or the one that is there. */
function put<T>(map: Map<string, T>, id: string, value: T | undefined): boolean {
  if (value === undefined || map.get(id) === value) return false
  map.set(id, value)
  return true
}

/** Cards that were shown and of which the log has not been heard yet. */
export function unloggedOf(room: RoomState): ReadonlySet<string> {
  return new Set([...room.requests].filter(([, request]) => request.seq === 0).map(([id]) => id))
}

/** Forgets cards that were shown but never reached the log, once the log has been read. */
export function dropUnlogged(room: RoomState, keep: (id: string) => boolean): RoomState {
  const requests = new Map(
    [...room.requests].filter(([id, request]) => request.seq > 0 || keep(id)),
  )
  return requests.size === room.requests.size ? room : { ...room, requests }
}

function applyToRequest(
  before: RequestView | undefined,
  event: RequestEvent,
): RequestView | undefined {
  switch (event.type) {
    case 'request':
      return before
        ? withSeq(before, event.seq)
        : { ...opened(event.request), seq: event.seq }
    case 'reply':
      return applyReply(before ?? opened(event.request), event.seq, event.reply)
    case 'state':
      return before && applyUpdate(before, event.seq, event.update)
  }
}

function opened(facts: RequestFacts): RequestView {
  const seconds = facts.timeoutSeconds > 0 ? facts.timeoutSeconds : DEFAULT_TIMEOUT_SECONDS
  return {
    ...facts,
    phase: 'pending',
    seq: 0,
    deadlineMs: facts.createdMs + seconds * 1000,
    extendedBy: '',
    reply: null,
    late: false,
    received: false,
    agentGone: false,
    changedMs: 0,
    endedBy: '',
    reason: '',
    message: '',
  }
}

function withSeq(request: RequestView, seq: number): RequestView {
  return seq > request.seq ? { ...request, seq } : request
}

function applyReply(request: RequestView, seq: number, reply: ReplyFacts): RequestView {
  // The same answer again: keep what is known, but learn what was missing (who, when).
  if (request.reply && seq <= request.seq) return mergeReply(request, reply, seq)
  const late = request.phase === 'expired' || request.phase === 'cancelled'
  const phase: RequestPhase = reply.action === 'decline' ? 'declined' : 'answered'
  return {
    ...request,
    phase: late ? request.phase : phase,
    late: late || request.late,
    seq: Math.max(seq, request.seq),
    reply,
    endedBy: late ? request.endedBy : reply.by,
    changedMs: late ? request.changedMs : reply.atMs || request.changedMs,
  }
}

function mergeReply(request: RequestView, reply: ReplyFacts, seq: number): RequestView {
  const known = request.reply
  if (!known || seq !== request.seq || (known.by && known.atMs)) return request
  return {
    ...request,
    reply: { ...known, by: known.by || reply.by, atMs: known.atMs || reply.atMs },
  }
}

function applyUpdate(request: RequestView, seq: number, update: StateUpdate): RequestView {
  if (seq > 0 && seq <= request.seq) return withAnswer(request, update)
  const phase = nextPhase(request.phase, update.phase)
  return {
    ...request,
    phase,
    seq: Math.max(seq, request.seq),
    late: request.late || update.late,
    received: request.received || update.received,
    agentGone: update.agentGone,
    ...(phase === 'pending' ? movedTo(request, update) : {}),
    ...(phase !== request.phase ? endOf(request, update) : {}),
    reply: request.reply ?? update.reply ?? null,
  }
}

/** An earlier fact that comes late may have the answer, or that the agent has it; neither is taken back. */
function withAnswer(request: RequestView, update: StateUpdate): RequestView {
  const reply = request.reply ?? update.reply ?? null
  const received = request.received || update.received
  return reply === request.reply && received === request.received ? request : { ...request, reply, received }
}

function movedTo(request: RequestView, update: StateUpdate) {
  const deadlineMs = update.deadlineMs || request.deadlineMs
  return {
    deadlineMs,
    extendedBy: deadlineMs > request.deadlineMs ? update.by : request.extendedBy,
    changedMs: update.changedMs || request.changedMs,
  }
}

function endOf(request: RequestView, update: StateUpdate) {
  return {
    changedMs: update.changedMs || request.changedMs,
    endedBy: update.by || request.endedBy,
    reason: update.reason || request.reason,
    message: update.message || request.message,
  }
}

/** An end is an end: only another, later end may replace it. */
function nextPhase(now: RequestPhase, next: RequestPhase | null): RequestPhase {
  if (next === null || (next === 'pending' && now !== 'pending')) return now
  return next
}

/** What waits for an answer, first asked first. */
export function pendingOf(room: RoomState): RequestView[] {
  return [...room.requests.values()]
    .filter((request) => request.phase === 'pending')
    .sort((a, b) => a.createdMs - b.createdMs || a.id.localeCompare(b.id))
}

/** Puts names to the agents of calls that came without. */
export function withAgents(room: RoomState, agents: ReadonlyMap<string, AgentFacts>): RoomState {
  const named = [...room.requests].flatMap(([id, request]): [string, RequestView][] => {
    const agent = agents.get(request.agent.id)
    return request.asked && !request.agent.client && agent?.client ? [[id, { ...request, agent }]] : []
  })
  return named.length > 0 ? { ...room, requests: new Map([...room.requests, ...named]) } : room
}
