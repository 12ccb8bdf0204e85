import type { CallView } from '../protocol/callLog'
import type { RoomEvent } from '../protocol/events'
import { neighbourMs } from '../protocol/texts'
import type { AgentFacts } from '../protocol/view'
import { requestOf, stateOf, type AskedWords } from '../tools/asked'

export interface AskedSources {
  readonly agents: ReadonlyMap<string, AgentFacts>
  readonly calls: ReadonlyMap<string, CallView>
  readonly words: AskedWords
  /** By the relay's clock. */
  readonly nowMs: number
}

/** Calls that a human answers become questions; those that a device runs stay calls. */
export function withQuestions(events: readonly RoomEvent[], { agents, calls, words, nowMs }: AskedSources): RoomEvent[] {
  const run = new Set(calls.keys())
  return events.flatMap((event, index): RoomEvent[] => {
    if (event.type === 'call') {
      const call = event.call.atMs > 0 ? event.call : { ...event.call, atMs: neighbourMs(events, index) }
      const request = requestOf(call, agents.get(call.agentId), words, nowMs)
      if (request) return [{ type: 'request', seq: event.seq, request }]
      run.add(call.callId)
      return [{ ...event, call }]
    }
    if (event.type !== 'callUpdate') return [event]
    const timed = event.atMs > 0 ? event : { ...event, atMs: neighbourMs(events, index) }
    return run.has(event.update.callId) ? [timed] : [stateOf(timed)]
  })
}
