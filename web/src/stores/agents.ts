import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'

import { agentsOf } from '../protocol/agents'
import type { AgentFacts, AgentPresence } from '../protocol/view'
import { useClock } from './clock'
import { useOutbox } from './outbox'
import { useRoom } from './room'

/** Who asks, and what for. */
export const useAgents = defineStore('agents', () => {
  const room = useRoom()
  const outbox = useOutbox()
  const clock = useClock()
  const presence = shallowRef<ReadonlyMap<string, AgentPresence>>(new Map())

  const minute = computed(() => Math.floor(clock.relayNowMs / 60_000) * 60_000)
  const list = computed(() => agentsOf(room.state, outbox.entries, presence.value, minute.value))
  /** Who can be written to: everybody who is here or may come back. */
  const reachable = computed(() => list.value.filter(({ agent }) => agent.id !== ''))
  const facts = computed(() => {
    const known = new Map<string, AgentFacts>()
    for (const { agent } of room.state.requests.values()) known.set(agent.id, agent)
    for (const { id, agent } of presence.value.values()) known.set(id, agent)
    for (const { agent } of list.value) known.set(agent.id, agent)
    return known
  })

  function setPresence(agents: readonly AgentPresence[]): void {
    presence.value = new Map(agents.map((agent) => [agent.id, agent]))
  }

  return { list, reachable, facts, setPresence }
})
