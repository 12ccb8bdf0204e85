/** What the timeline shows, in order: finished or answered requests, texts and calls of tools, with day marks. */
import { joinRuns, runsOf, type CallRun } from './callRuns'
import { dayStart } from './format'
import type { Outbox, OutboxEntry } from './outbox'
import type { RoomState } from './room'
import type { RequestView, ShownPicture, TextView } from './view'

interface Placed {
  readonly key: string
  readonly atMs: number
  /** The first of its day. */
  readonly startsDay: boolean
  /** The agent's name stands above it; else only the time. */
  readonly hasHeader: boolean
}

export type TimelineItem =
  | (Placed & { readonly type: 'request'; readonly request: RequestView; readonly sending: OutboxEntry | null })
  | (Placed & { readonly type: 'text'; readonly text: TextView; readonly sending: OutboxEntry | null })
  | (Placed & { readonly type: 'picture'; readonly shown: ShownPicture })

/** An entry of the timeline: the history knows no calls. */
export type TimelineRow = TimelineItem | (Placed & CallRun)

type Bare =
  | { type: 'request'; key: string; atMs: number; request: RequestView; sending: OutboxEntry | null }
  | { type: 'text'; key: string; atMs: number; text: TextView; sending: OutboxEntry | null }
  | { type: 'picture'; key: string; atMs: number; shown: ShownPicture }

const GROUP_MS = 15 * 60_000

/** For reading: a pending card is not repeated here, unless its answer is on its way. */
export function timelineOf(room: RoomState, outbox: Outbox): TimelineRow[] {
  const rows = inOrder<Bare | CallRun>([...itemsOf(room, outbox, false), ...runsOf(room.calls.values())])
  return placed(joinRuns<Bare>(rows, GROUP_MS))
}

/** For searching: all that there is. */
export function historyOf(room: RoomState, outbox: Outbox): TimelineItem[] {
  return placed(inOrder(itemsOf(room, outbox, true)))
}

function itemsOf(room: RoomState, outbox: Outbox, withPending: boolean): Bare[] {
  const sending = new Map(
    outbox
      .filter(({ state }) => state === 'queued' || state === 'sending')
      .map((entry) => [entry.requestId, entry]),
  )
  const items: Bare[] = []
  for (const request of room.requests.values()) {
    const entry = sending.get(request.id) ?? null
    if (request.phase === 'pending' && !entry && !withPending) continue
    items.push({ type: 'request', key: request.id, atMs: request.createdMs, request, sending: entry })
  }
  for (const text of room.texts.values()) {
    items.push({ type: 'text', key: `text:${text.id}`, atMs: text.sentMs, text, sending: null })
  }
  for (const shown of room.pictures.values()) {
    items.push({ type: 'picture', key: `picture:${shown.id}`, atMs: shown.atMs, shown })
  }
  for (const entry of outbox.filter(({ kind }) => kind === 'text')) items.push(written(entry))
  return items
}

/** What was said in the same millisecond stays in the order in which it was heard. */
function inOrder<T extends { readonly atMs: number }>(items: T[]): T[] {
  return items.sort((a, b) => a.atMs - b.atMs)
}

/** A text that is still on its way. */
function written(entry: OutboxEntry): Bare {
  const { requestId, agentId, text: content, createdMs } = entry
  const common = { id: requestId, agentId, content, pictures: [], files: [], from: '', sentMs: createdMs }
  const text = { ...common, received: false, receivedMs: 0, byHuman: true }
  return { type: 'text', key: requestId, atMs: createdMs, text, sending: entry }
}

function placed<T extends Bare | CallRun>(items: readonly T[]): (T & Pick<Placed, 'startsDay' | 'hasHeader'>)[] {
  let [previous, dayMs, nextDayMs]: [T | undefined, number, number] = [undefined, 0, 0]
  return items.map((item) => {
    const startsDay = !previous || item.atMs < dayMs || item.atMs >= nextDayMs
    if (startsDay) [dayMs, nextDayMs] = [dayStart(item.atMs, 0), dayStart(item.atMs, 1)]
    const hasHeader = startsDay || !previous || startsGroup(item, previous)
    previous = item
    return { ...item, startsDay, hasHeader }
  })
}

function startsGroup(item: Bare | CallRun, previous: Bare | CallRun): boolean {
  return (
    (item.type === 'request' && item.request.kind === 'report') ||
    !isSameVoice(voiceOf(previous), voiceOf(item)) ||
    item.atMs - previous.atMs > GROUP_MS
  )
}

interface Voice {
  readonly id: string
  /** What it calls itself; "" where that is not said. */
  readonly name: string
  /** Its program and its project; "" where they are not said. */
  readonly key: string
}

const HUMAN: Voice = { id: 'human', name: '', key: '' }

function voiceOf(item: Bare | CallRun): Voice {
  if (item.type === 'calls') return { id: `agent:${item.agentId}`, name: '', key: '' }
  if (item.type === 'picture') return { id: `agent:${item.shown.agentId}`, name: '', key: '' }
  if (item.type === 'text') return item.text.byHuman ? HUMAN : { id: `agent:${item.text.agentId}`, name: item.text.from, key: '' }
  const { id, name, key } = item.request.agent
  return { id: `agent:${id}`, name, key }
}

function isSameVoice(one: Voice, other: Voice): boolean {
  return one.id === other.id && isSame(one.name, other.name) && isSame(one.key, other.key)
}

function isSame(one: string, other: string): boolean {
  return !one || !other || one === other
}
