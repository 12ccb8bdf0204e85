import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'

import type { DeviceView, OnlineUserView } from '../protocol/view'
import { useSession } from './session'

/** The other devices of the room, those that are connected first. */
export const useDevices = defineStore('devices', () => {
  const session = useSession()
  const users = shallowRef<readonly OnlineUserView[]>([])
  const listed = shallowRef<readonly DeviceView[]>([])

  /** What the relay lists; a device that it does not list is known only while it is connected. */
  const all = computed<DeviceView[]>(() => {
    if (listed.value.length === 0) {
      return users.value.map((user) => ({ ...user, deviceId: '', online: true, lastSeenMs: 0 }))
    }
    return listed.value
      .filter(({ deviceId, clientId }) => deviceId !== session.deviceId && (deviceId !== '' || clientId !== session.clientId))
      .sort((a, b) => Number(b.online) - Number(a.online) || b.lastSeenMs - a.lastSeenMs)
  })
  const others = computed(() => all.value.filter(({ online }) => online))

  function find(id: string): DeviceView | undefined {
    return all.value.find(({ deviceId, clientId }) => (deviceId || clientId) === id)
  }

  function setAll(online: readonly OnlineUserView[]): void {
    users.value = online
  }

  function setListed(devices: readonly DeviceView[]): void {
    listed.value = devices
  }

  /** Nobody is known to be here while this page is not. */
  function disconnected(): void {
    users.value = []
    listed.value = listed.value.map((device) => ({ ...device, clientId: '', online: false }))
  }

  function setPresence(user: OnlineUserView, connected: boolean): void {
    const rest = users.value.filter(({ clientId }) => clientId !== user.clientId)
    users.value = connected ? [...rest, user] : rest
  }

  return { all, others, find, setAll, setListed, setPresence, disconnected }
})
