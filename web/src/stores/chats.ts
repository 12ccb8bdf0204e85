import { defineStore } from 'pinia'
import { ref, shallowRef } from 'vue'

import { addLine, setState, type ChatLine } from '../protocol/chat'
import type { ChatFacts } from '../protocol/view'
import { useDevices } from './devices'

type Lines = readonly ChatLine[]

/** The chats with other devices, by device. Nothing of it outlives the page. */
export const useChats = defineStore('chats', () => {
  const devices = useDevices()
  const chats = shallowRef<ReadonlyMap<string, Lines>>(new Map())
  const unread = ref<Record<string, number>>({})
  /** The chat on the screen; "" if none. */
  const openId = ref('')

  function of(device: string): Lines {
    return chats.value.get(device) ?? []
  }

  function change(device: string, next: (lines: Lines) => Lines): void {
    chats.value = new Map(chats.value).set(device, next(of(device)))
  }

  function open(device: string): void {
    openId.value = device
    unread.value = { ...unread.value, [device]: 0 }
  }

  function close(): void {
    openId.value = ''
  }

  function received(chat: ChatFacts): void {
    const sender = devices.all.find(({ clientId }) => clientId === chat.clientId)
    const device = (sender?.deviceId ?? '') || chat.clientId
    const { id, content, sentMs } = chat
    change(device, (lines) => addLine(lines, { id, content, atMs: sentMs, mine: false, state: 'delivered' }))
    if (device !== openId.value) unread.value = { ...unread.value, [device]: (unread.value[device] ?? 0) + 1 }
  }

  function say(device: string, line: ChatLine): void {
    change(device, (lines) => addLine(lines, line))
  }

  function mark(device: string, id: string, state: ChatLine['state']): void {
    change(device, (lines) => setState(lines, id, state))
  }

  return { unread, openId, of, open, close, received, say, mark }
})
