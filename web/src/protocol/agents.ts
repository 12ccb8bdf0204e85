/** The agents list: what the relay says of them, else what their requests tell. */
import { hasEnded, type CallView } from './callLog'
import { numbered } from './device'
import type { Outbox } from './outbox'
import type { RoomState } from './room'
import type { AgentFacts, AgentPresence, RequestView } from './view'

type AgentActivity = 'waiting' | 'queued' | 'calling' | 'working' | 'idle' | 'gone'

export interface AgentView {
  /** Its place in a list. */
  readonly key: string
  readonly agent: AgentFacts
  /** Its name, with a number if another one could not be told from it. */
  readonly label: string
  readonly activity: AgentActivity
  /** Since when it waits, when it left, or when it was last heard of; relay clock, Unix ms. */
  readonly sinceMs: number
  /** The request it waits for; "" if none. */
  readonly requestId: string
  /** The tool that it waits for; "" if none. */
  readonly tool: string
  /** Texts and answers that wait for its next call. */
  readonly messagesWaiting: number
}

interface Group {
  readonly key: string
  /** The newest process that the relay knows. */
  presence: AgentPresence | null
  messagesWaiting: number
  readonly requests: RequestView[]
  /** Calls of tools without a result. */
  readonly calls: CallView[]
}

const RANK: Readonly<Record<AgentActivity, number>> = { waiting: 0, queued: 1, calling: 2, working: 3, idle: 4, gone: 5 }
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
  return labelled(groupsOf(room, presence).map((group) => viewOf(group, answering, nowMs))).sort(
    (a, b) => RANK[a.activity] - RANK[b.activity] || order(a, b),
  )
}

/** Agents of one name in one folder on one machine are numbered; an id keeps its place among them. */
function labelled(views: readonly AgentView[]): AgentView[] {
  const counts = new Map<string, number>()
  return [...views]
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map((view) => {
      const { name, directory, project, machine } = view.agent
      const title = [name, directory || project, machine].join('\n')
      const number = (counts.get(title) ?? 0) + 1
      counts.set(title, number)
      return { ...view, label: numbered(name, number) }
    })
}

function order(a: AgentView, b: AgentView): number {
  return a.activity === 'waiting' ? a.sinceMs - b.sinceMs : b.sinceMs - a.sinceMs
}

/** One group for each agent; what an earlier process of the same name left behind joins its successor. */
function groupsOf(room: RoomState, presence: ReadonlyMap<string, AgentPresence>): Group[] {
  const groups = new Map<string, Group>()
  const open = (key: string): Group => {
    const group = groups.get(key) ?? { key, presence: null, messagesWaiting: 0, requests: [], calls: [] }
    groups.set(key, group)
    return group
  }
  for (const one of presence.values()) {
    const group = open(one.id)
    group.presence = one
    group.messagesWaiting = one.messagesWaiting
  }
  for (const request of room.requests.values()) open(request.agent.id || titleOf(request.agent)).requests.push(request)
  for (const call of room.calls.values()) if (!hasEnded(call)) groups.get(call.agentId)?.calls.push(call)
  return joined([...groups.values()])
}

function titleOf({ key, name }: AgentFacts): string {
  return [key, name].join('\n')
}

/** Those that are not here and wait for nothing join one of the same name and project. */
function joined(groups: readonly Group[]): Group[] {
  const places = new Map<string, Group>()
  const result: Group[] = []
  for (const group of [...groups].sort((a, b) => importance(b) - importance(a) || leftMs(b) - leftMs(a))) {
    const title = titleOf(factsOf(group.presence, latestOf(group)))
    const place = places.get(title)
    if (place && importance(group) === 0) {
      place.presence ??= group.presence
      place.messagesWaiting += group.messagesWaiting
      place.requests.push(...group.requests)
      place.calls.push(...group.calls)
    } else {
      if (!place) places.set(title, group)
      result.push(group)
    }
  }
  return result
}

/** Attached, gone with a question open, or only remembered. */
function importance({ presence, requests }: Group): number {
  if (presence?.attached) return 2
  return requests.some(({ phase }) => phase === 'pending') ? 1 : 0
}

function leftMs({ presence }: Group): number {
  return presence?.leftMs ?? 0
}

function latestOf({ requests }: Group): RequestView | undefined {
  return [...requests].sort((a, b) => a.createdMs - b.createdMs).at(-1)
}

function viewOf(group: Group, answering: ReadonlySet<string>, nowMs: number): AgentView {
  const { key, presence, messagesWaiting } = group
  const inOrder = [...group.requests].sort((a, b) => a.createdMs - b.createdMs)
  const latest = inOrder.at(-1)
  const pending = inOrder.filter(({ phase }) => phase === 'pending')
  const waiting = pending.find(({ id }) => !answering.has(id))
  const agent = factsOf(presence, latest)
  const common = { key, agent, label: agent.name, messagesWaiting, requestId: '', tool: '' }
  if (waiting) return { ...common, activity: 'waiting', sinceMs: waiting.createdMs, requestId: waiting.id }
  const heardMs = heardOf(presence, latest)
  // The relay lists everybody who is here; who left while the relay itself was away is in no list.
  const isGone = presence ? !presence.attached : pending.length === 0 || latest?.agentGone === true
  if (isGone) return { ...common, activity: 'gone', sinceMs: presence?.leftMs ?? heardMs }
  if (pending.length > 0) return { ...common, activity: 'queued', sinceMs: heardMs }
  return { ...common, ...busyness(group.calls, heardMs, nowMs) }
}

function busyness([call]: readonly CallView[], heardMs: number, nowMs: number): Pick<AgentView, 'activity' | 'sinceMs' | 'tool'> {
  if (call) return { activity: 'calling', sinceMs: call.atMs || heardMs, tool: call.name }
  return { activity: nowMs - heardMs > IDLE_MS ? 'idle' : 'working', sinceMs: heardMs, tool: '' }
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
