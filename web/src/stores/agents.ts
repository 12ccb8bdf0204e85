import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'

import { agentsOf } from '../protocol/agents'
import type { AgentPresence } from '../protocol/view'
import { useOutbox } from './outbox'
import { useRoom } from './room'

/** Who asks, and what for. */
export const useAgents = defineStore('agents', () => {
  const room = useRoom()
  const outbox = useOutbox()
  const presence = shallowRef<ReadonlyMap<string, AgentPresence>>(new Map())

  const list = computed(() => agentsOf(room.state, outbox.entries, presence.value))

  function setPresence(agents: readonly AgentPresence[]): void {
    presence.value = new Map(agents.map((agent) => [agent.id, agent]))
  }

  return { list, setPresence }
})
