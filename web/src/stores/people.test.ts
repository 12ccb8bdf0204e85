import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, test } from 'vitest'

import { DEFAULT_LIMITS } from '../protocol/attachments'
import { AGENT, anAttachment, aPresence } from '../protocol/testing'
import { useAgents } from './agents'
import { useAttachments } from './attachments'
import { useChats } from './chats'
import { useDevices } from './devices'
import { useDrafts } from './drafts'
import { useMessage } from './message'
import { useOutbox } from './outbox'
import { useSession } from './session'

function start(): void {
  setActivePinia(createPinia())
  useOutbox().open('room')
  useDrafts().open('room')
}

beforeEach(() => {
  localStorage.clear()
  start()
  useAgents().setPresence([aPresence(), aPresence({ id: 'h', agent: { ...AGENT, id: 'h', key: 'h', name: 'Hermes' } })])
})

describe('writing to an agent', () => {
  test('goes to the chosen one and survives a reload', () => {
    const message = useMessage()
    message.recipientId = 'h'
    message.text = ' Use staging \r\n now '
    message.send()
    expect(message.text).toBe('')
    start()
    expect(useOutbox().entries).toMatchObject([{ kind: 'text', agentId: 'h', text: 'Use staging \n now' }])
  })

  test('goes to all if that is chosen', () => {
    const message = useMessage()
    message.recipientId = message.all
    message.text = 'Stop'
    message.send()
    expect(useOutbox().entries).toMatchObject([{ agentId: '' }])
  })

  test('keeps what was typed, sends no blanks', () => {
    useMessage().text = 'half'
    start()
    expect(useMessage().text).toBe('half')
    useMessage().text = '  '
    useMessage().send()
    expect(useOutbox().entries).toEqual([])
  })

  test('stays in the outbox with its reason when it is refused', () => {
    useMessage().text = 'x'
    useMessage().send()
    const [{ ref } = { ref: '' }] = useOutbox().takeDue()
    useOutbox().acknowledged({ type: 'ack', ref, accepted: false, code: 'too_large', message: '', seq: 0 })
    expect(useOutbox().entries).toMatchObject([{ state: 'refused', code: 'too_large' }])
  })
})

describe('what is attached to a text', () => {
  const attach = (...names: string[]) => {
    for (const name of names) useAttachments().offer(useMessage().draftId, anAttachment({ id: name, name }), DEFAULT_LIMITS)
  }

  test('goes with it, with or without words, and is attached to nothing else', () => {
    attach('a', 'b')
    const message = useMessage()
    expect(message.canSend).toBe(true)
    message.send()
    const [entry] = useOutbox().entries
    expect(entry).toMatchObject({ kind: 'text', text: '', attachments: ['a', 'b'] })
    expect(useAttachments().of(entry!.requestId).map(({ id }) => id)).toEqual(['a', 'b'])
    expect(message.attachments).toEqual([])
    message.text = 'And this'
    message.send()
    expect(useOutbox().entries[1]).toMatchObject({ text: 'And this', attachments: [] })
  })

  test('comes back with the words, behind what was written meanwhile', () => {
    attach('a')
    const message = useMessage()
    message.recipientId = 'h'
    message.text = 'First'
    message.send()
    message.recipientId = 'agent-1'
    message.text = 'Second'
    attach('b')
    message.takeBack(useOutbox().entries[0]!)
    expect(message.text).toBe('Second\nFirst')
    expect(message.attachments.map(({ id }) => id)).toEqual(['b', 'a'])
    expect(message.recipientId).toBe('agent-1')
    expect(useOutbox().entries).toEqual([])
    expect(useAttachments().ids).toEqual([message.draftId])
  })

  test('comes back to whom it was written', () => {
    attach('a')
    const message = useMessage()
    message.recipientId = 'h'
    message.send()
    message.recipientId = 'agent-1'
    message.takeBack(useOutbox().entries[0]!)
    expect(message.recipientId).toBe('h')
  })

  test('is refused by name where it no longer fits', () => {
    const message = useMessage()
    attach('a')
    message.send()
    useSession().limits = { ...DEFAULT_LIMITS, contentsPerMessage: 2 }
    attach('b')
    message.takeBack(useOutbox().entries[0]!)
    expect(message.attachments.map(({ id }) => id)).toEqual(['b'])
    expect(message.refusals).toMatchObject([{ code: 'too_many', name: 'a' }])
  })

  test('does not make too long a text fit', () => {
    attach('a')
    useMessage().text = 'x'.repeat(100_001)
    useMessage().send()
    expect(useOutbox().entries).toEqual([])
  })
})

describe('devices', () => {
  const device = { deviceId: 'd1', clientId: 'c1', nickname: 'iPad', online: true, lastSeenMs: 5 }

  test('are those of the list without this one, connected ones first', () => {
    const devices = useDevices()
    devices.setAll([{ clientId: 'c1', nickname: 'iPad' }])
    expect(devices.others).toHaveLength(1)
    const own = { ...device, deviceId: useSession().deviceId }
    devices.setListed([own, { ...device, deviceId: 'd2', clientId: '', online: false }, device])
    expect(devices.all.map(({ deviceId }) => deviceId)).toEqual(['d1', 'd2'])
    expect(devices.others.map(({ deviceId }) => deviceId)).toEqual(['d1'])
    devices.disconnected()
    expect(devices.others).toEqual([])
  })

  test('chat, and what was not looked at is counted', () => {
    useDevices().setListed([device])
    const chats = useChats()
    const chat = { id: 'm', clientId: 'c1', nickname: 'iPad', content: 'x', sentMs: 1 }
    chats.received(chat)
    expect([chats.of('d1').length, chats.unread.d1]).toEqual([1, 1])
    chats.open('d1')
    chats.received({ ...chat, id: 'n' })
    expect([chats.of('d1').length, chats.unread.d1]).toEqual([2, 0])
  })
})
