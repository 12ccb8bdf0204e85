import { defineStore } from 'pinia'
import { shallowRef } from 'vue'

import type { OnlineUserView } from '../protocol/view'

/** The other devices that are connected. */
export const useDevices = defineStore('devices', () => {
  const others = shallowRef<readonly OnlineUserView[]>([])

  function setAll(users: readonly OnlineUserView[]): void {
    others.value = users
  }

  function setPresence(user: OnlineUserView, connected: boolean): void {
    const rest = others.value.filter(({ clientId }) => clientId !== user.clientId)
    others.value = connected ? [...rest, user] : rest
  }

  return { others, setAll, setPresence }
})
