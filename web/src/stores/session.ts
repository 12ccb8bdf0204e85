import { defineStore } from 'pinia'
import { computed, ref } from 'vue'

import { DEFAULT_LIMITS, type Limits } from '../protocol/attachments'
import { randomId } from '../protocol/ids'
import { readTabText, readText, writeTabText, writeText } from './storage'

export type Connection = 'signedOut' | 'connecting' | 'online' | 'offline'

function keptDeviceId(): string {
  const kept = readText('device')
  if (kept) return kept
  const fresh = randomId()
  writeText('device', fresh)
  return fresh
}

/** A tab that is loaded anew is the same tab: what is open in it goes on. */
function keptTabId(): string {
  const kept = readTabText('tab')
  if (kept) return kept
  return freshTabId()
}

function freshTabId(): string {
  const fresh = randomId()
  writeTabText('tab', fresh)
  return fresh
}

/** Who this page is for the relay, and how the connection is. */
export const useSession = defineStore('session', () => {
  const token = ref(readText('token'))
  const deviceId = keptDeviceId()
  const tabId = ref(keptTabId())
  const connection = ref<Connection>(token.value ? 'connecting' : 'signedOut')
  const clientId = ref('')
  const refusal = ref('')
  const relayVersion = ref('')
  const limits = ref<Limits>(DEFAULT_LIMITS)
  /** Since when there is no login; page clock. */
  const awaySinceMs = ref(Date.now())
  const retryAtMs = ref(0)
  const wasOnline = ref(false)

  const isSignedOut = computed(() => connection.value === 'signedOut')

  function signIn(newToken: string): void {
    token.value = newToken.trim()
    writeText('token', token.value)
    refusal.value = ''
    connection.value = 'connecting'
    awaySinceMs.value = Date.now()
  }

  function signOut(message: string): void {
    connection.value = 'signedOut'
    refusal.value = message || 'refused'
    token.value = ''
    writeText('token', '')
  }

  function connecting(): void {
    retryAtMs.value = 0
    leaveOnline('connecting')
  }

  function online(id: string): void {
    connection.value = 'online'
    clientId.value = id
    wasOnline.value = true
    retryAtMs.value = 0
  }

  function offline(retryInMs: number): void {
    retryAtMs.value = retryInMs > 0 ? Date.now() + retryInMs : 0
    leaveOnline('offline')
  }

  function leaveOnline(next: Connection): void {
    if (connection.value === 'online') awaySinceMs.value = Date.now()
    connection.value = next
  }

  function renewTab(): void {
    tabId.value = freshTabId()
  }

  return {
    token,
    deviceId,
    tabId,
    connection,
    clientId,
    refusal,
    relayVersion,
    limits,
    awaySinceMs,
    retryAtMs,
    wasOnline,
    isSignedOut,
    signIn,
    signOut,
    connecting,
    online,
    offline,
    renewTab,
  }
})
