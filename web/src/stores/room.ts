import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'

import { NOTHING_EARLIER, type Earlier } from '../protocol/earlier'
import type { RoomEvent } from '../protocol/events'
import {
  applyEvents,
  dropUnlogged,
  EMPTY_ROOM,
  pendingOf,
  unloggedOf,
  withAgents,
  type RoomState,
} from '../protocol/room'
import type { AgentFacts, RequestView } from '../protocol/view'

/** The room's requests and texts. */
export const useRoom = defineStore('room', () => {
  const state = shallowRef<RoomState>(EMPTY_ROOM)
  /** Everything that was missed has been read at least once. */
  const isSynced = ref(false)
  /** What the relay has of the time before `state`. */
  const earlier = ref<Earlier>(NOTHING_EARLIER)

  /** Cards of an earlier connection that the log may never have had. */
  let doubtful: ReadonlySet<string> = new Set()

  const pending = computed(() => pendingOf(state.value))
  const isEmpty = computed(() => state.value.requests.size === 0 && state.value.texts.size === 0)

  function request(id: string): RequestView | undefined {
    return state.value.requests.get(id)
  }

  function apply(events: readonly RoomEvent[]): void {
    state.value = applyEvents(state.value, events)
  }

  /** Calls do not say who asks; the relay's list of agents may come after them. */
  function nameAgents(agents: ReadonlyMap<string, AgentFacts>): void {
    state.value = withAgents(state.value, agents)
  }

  function reset(): void {
    state.value = EMPTY_ROOM
    isSynced.value = false
  }

  /** The log begins to be read: what is shown from here on may reach it after that. */
  function syncing(): void {
    doubtful = unloggedOf(state.value)
  }

  /** The log has been read; `keep` names cards that must stay although it does not have them. */
  function synced(keep: (id: string) => boolean): void {
    state.value = dropUnlogged(state.value, (id) => !doubtful.has(id) || keep(id))
    isSynced.value = true
  }

  return { state, isSynced, earlier, pending, isEmpty, request, apply, nameAgents, reset, syncing, synced }
})
