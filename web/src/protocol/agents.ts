/** The agents list: what the relay says of them, else what their requests tell. */
import type { Outbox } from './outbox'
import type { RoomState } from './room'
import type { AgentFacts, AgentPresence, RequestView } from './view'

type AgentActivity = 'waiting' | 'queued' | 'working' | 'idle' | 'gone'

export interface AgentView {
  /** Its place in a list. */
  readonly key: string
  readonly agent: AgentFacts
  readonly activity: AgentActivity
  /** Since when it waits, when it left, or when it was last heard of; relay clock, Unix ms. */
  readonly sinceMs: number
  /** The request it waits for; "" if none. */
  readonly requestId: string
  /** Texts and answers that wait for its next call. */
  readonly messagesWaiting: number
}

interface Group {
  readonly key: string
  /** The newest process that the relay knows. */
  presence: AgentPresence | null
  messagesWaiting: number
  readonly requests: RequestView[]
}

const RANK: Readonly<Record<AgentActivity, number>> = { waiting: 0, queued: 1, working: 2, idle: 3, gone: 4 }
/** An agent that called within this time is at work. */
const IDLE_MS = 15 * 60_000

/** Waiting agents first, the longest wait on top; then by last sign of life. */
export function agentsOf(
  room: RoomState,
  outbox: Outbox,
  presence: ReadonlyMap<string, AgentPresence>,
  nowMs: number,
): AgentView[] {
  const answering = new Set(outbox.filter(({ state }) => state !== 'held').map((e) => e.requestId))
  return groupsOf(room, presence)
    .map((group) => viewOf(group, answering, nowMs))
    .sort((a, b) => RANK[a.activity] - RANK[b.activity] || order(a, b))
}

function order(a: AgentView, b: AgentView): number {
  return a.activity === 'waiting' ? a.sinceMs - b.sinceMs : b.sinceMs - a.sinceMs
}

/** One group for each attached process; those that left join their successor, or each other. */
function groupsOf(room: RoomState, presence: ReadonlyMap<string, AgentPresence>): Group[] {
  const groups = new Map<string, Group>()
  const byId = new Map<string, Group>()
  const open = (key: string): Group => {
    const group = groups.get(key) ?? { key, presence: null, messagesWaiting: 0, requests: [] }
    groups.set(key, group)
    return group
  }
  const known = [...presence.values()].sort((a, b) => Number(b.attached) - Number(a.attached) || b.leftMs - a.leftMs)
  const attachedKeys = new Map(known.filter(({ attached }) => attached).map(({ id, agent }) => [agent.key, id]))
  for (const one of known) {
    const group = open(one.attached ? one.id : (attachedKeys.get(one.agent.key) ?? one.agent.key))
    group.presence ??= one
    group.messagesWaiting += one.messagesWaiting
    byId.set(one.id, group)
  }
  for (const request of room.requests.values()) {
    const { id, key } = request.agent
    const group = byId.get(id) ?? open(attachedKeys.get(key) ?? key)
    group.requests.push(request)
  }
  return [...groups.values()]
}

function viewOf(group: Group, answering: ReadonlySet<string>, nowMs: number): AgentView {
  const { key, presence, messagesWaiting } = group
  const inOrder = [...group.requests].sort((a, b) => a.createdMs - b.createdMs)
  const latest = inOrder.at(-1)
  const pending = inOrder.filter(({ phase }) => phase === 'pending')
  const waiting = pending.find(({ id }) => !answering.has(id))
  const common = { key, agent: factsOf(presence, latest), messagesWaiting, requestId: '' }
  if (waiting) return { ...common, activity: 'waiting', sinceMs: waiting.createdMs, requestId: waiting.id }
  const heardMs = heardOf(presence, latest)
  const isGone = presence ? !presence.attached : latest?.agentGone === true
  if (isGone) return { ...common, activity: 'gone', sinceMs: presence?.leftMs ?? heardMs }
  if (pending.length > 0) return { ...common, activity: 'queued', sinceMs: heardMs }
  return { ...common, activity: nowMs - heardMs > IDLE_MS ? 'idle' : 'working', sinceMs: heardMs }
}

/** Its last sign of life. */
function heardOf(presence: AgentPresence | null, latest: RequestView | undefined): number {
  return Math.max(presence?.lastCallMs ?? 0, latest?.createdMs ?? 0, latest?.changedMs ?? 0)
}

/** A request may know the name and the project better than the process that asked it. */
function factsOf(presence: AgentPresence | null, latest: RequestView | undefined): AgentFacts {
  const asked = latest?.agent
  if (!presence) {
    if (!asked) throw new RangeError('an agent that nothing is known of')
    return asked
  }
  const { agent } = presence
  if (!asked) return agent
  return {
    ...agent,
    name: asked.name || agent.name,
    project: agent.project || asked.project,
    directory: agent.directory || asked.directory,
    model: agent.model || asked.model,
    machine: agent.machine || asked.machine,
  }
}
