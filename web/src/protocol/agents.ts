/** The agents list, derived from what they asked. */
import type { Outbox } from './outbox'
import type { RoomState } from './room'
import type { AgentFacts, AgentPresence, RequestView } from './view'

type AgentActivity = 'waiting' | 'queued' | 'working' | 'gone'

export interface AgentView {
  readonly agent: AgentFacts
  readonly activity: AgentActivity
  /** Since when it waits, or when it was last heard of; relay clock, Unix ms. */
  readonly sinceMs: number
  /** The request it waits for; "" if none. */
  readonly requestId: string
}

const RANK: Readonly<Record<AgentActivity, number>> = { waiting: 0, queued: 1, working: 2, gone: 3 }

/** Waiting agents first, the longest wait on top; then by last sign of life. */
export function agentsOf(
  room: RoomState,
  outbox: Outbox,
  presence: ReadonlyMap<string, AgentPresence>,
): AgentView[] {
  const answering = new Set(outbox.filter(({ state }) => state !== 'held').map((e) => e.requestId))
  const byKey = new Map<string, RequestView[]>()
  for (const request of room.requests.values()) {
    const known = byKey.get(request.agent.key)
    if (known) known.push(request)
    else byKey.set(request.agent.key, [request])
  }
  return [...byKey.values()]
    .map((requests) => agentView(requests, answering, presence))
    .sort((a, b) => RANK[a.activity] - RANK[b.activity] || order(a, b))
}

function order(a: AgentView, b: AgentView): number {
  return a.activity === 'waiting' ? a.sinceMs - b.sinceMs : b.sinceMs - a.sinceMs
}

function agentView(
  requests: readonly RequestView[],
  answering: ReadonlySet<string>,
  presence: ReadonlyMap<string, AgentPresence>,
): AgentView {
  const inOrder = [...requests].sort((a, b) => a.createdMs - b.createdMs)
  const latest = inOrder[inOrder.length - 1]
  if (!latest) throw new RangeError('an agent without requests')
  const pending = inOrder.filter(({ phase }) => phase === 'pending')
  const waiting = pending.find(({ id }) => !answering.has(id))
  const sinceMs = Math.max(latest.createdMs, latest.changedMs)
  if (waiting) {
    const { agent, createdMs, id } = waiting
    return { agent, activity: 'waiting', sinceMs: createdMs, requestId: id }
  }
  const known = presence.get(latest.agent.id)
  const isGone = known ? !known.attached : latest.agentGone
  if (isGone) {
    return { agent: latest.agent, activity: 'gone', sinceMs: known?.leftMs ?? sinceMs, requestId: '' }
  }
  const activity = pending.length > 0 ? 'queued' : 'working'
  return { agent: latest.agent, activity, sinceMs, requestId: '' }
}
