import type { CallView } from '../protocol/callLog'
import type { RoomEvent } from '../protocol/events'
import type { AgentFacts } from '../protocol/view'
import { requestOf, stateOf, type AskedWords } from '../tools/asked'

export interface AskedSources {
  readonly agents: ReadonlyMap<string, AgentFacts>
  readonly calls: ReadonlyMap<string, CallView>
  readonly words: AskedWords
}

/** Calls that a human answers become questions; those that a device runs stay calls. */
export function withQuestions(events: readonly RoomEvent[], { agents, calls, words }: AskedSources): RoomEvent[] {
  const run = new Set(calls.keys())
  return events.flatMap((event): RoomEvent[] => {
    if (event.type === 'call') {
      const request = requestOf(event.call, agents.get(event.call.agentId), words)
      if (request) return [{ type: 'request', seq: event.seq, request }]
      run.add(event.call.callId)
      return [event]
    }
    if (event.type !== 'callUpdate') return [event]
    return event.call || run.has(event.update.callId) ? [event] : [stateOf(event)]
  })
}
