/** The fold over tool calls, for people to read. Applying the same event again changes nothing. */
import type { RoomEvent } from './events'
import { isEnd, type CallFacts, type CallPhase } from './tools'

/** A call as this page knows it. */
export interface CallView extends CallFacts {
  /** Null: offered, nobody has it yet. */
  readonly phase: CallPhase | null
  readonly progress: number
  readonly total: number
  /** The latest words about it; once it ended, those of its end. */
  readonly message: string
  /** What this page gave back; "" for what another device did. */
  readonly resultJson: string
  readonly code: string
  /** Nickname of the device that ran it; "" if unknown. */
  readonly by: string
  readonly endedMs: number
}

type CallEvent = Extract<RoomEvent, { type: 'call' | 'callUpdate' }>

/** What is known of a call after one more message about it; an end is an end. */
export function mergeCall(before: CallView | undefined, event: CallEvent): CallView | undefined {
  if (event.type === 'call') return before ?? offered(event.call)
  const known = before ?? (event.call && offered(event.call))
  return known && !hasEnded(known) ? updated(known, event) : known
}

function offered(call: CallFacts): CallView {
  const nothing = { progress: 0, total: 0, message: '', resultJson: '', code: '', by: '', endedMs: 0 }
  return { ...call, ...nothing, phase: null }
}

function updated(before: CallView, event: Extract<RoomEvent, { type: 'callUpdate' }>): CallView {
  const { phase, progress, total, message, resultJson, code } = event.update
  return {
    ...before,
    ...(phase === 'progress' ? { progress, total } : { phase }),
    // How far it came is no word about its end.
    message: message || (isOver(phase) ? '' : before.message),
    resultJson: resultJson || before.resultJson,
    code: code || before.code,
    by: event.by || before.by,
    endedMs: isOver(phase) ? event.atMs : 0,
  }
}

/** TAKEN is the news that another device has it, not its end. */
function isOver(phase: CallPhase): boolean {
  return isEnd(phase) && phase !== 'taken'
}

/** Whether somebody may still wait for its result. */
export function hasEnded({ phase }: CallView): boolean {
  return phase !== null && isOver(phase)
}

const KEPT = 500

/** Drops the oldest calls beyond a number; the map is in the order of arrival. */
export function trimmed(calls: ReadonlyMap<string, CallView>): ReadonlyMap<string, CallView> {
  return calls.size <= KEPT ? calls : new Map([...calls].slice(-KEPT))
}
