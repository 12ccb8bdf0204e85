import { mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, test } from 'vitest'
import { defineComponent } from 'vue'

import { i18n } from '../../i18n'
import { aText } from '../../protocol/testing'
import { useOutbox } from '../../stores/outbox'
import { useRoom } from '../../stores/room'
import { useTelling } from './useTelling'

const pinia = createPinia()

beforeEach(() => {
  setActivePinia(pinia)
  localStorage.clear()
})

function telling() {
  const Part = defineComponent({ setup: () => useTelling(() => 'a1', () => 'Codex'), render: () => null })
  return mount(Part, { global: { plugins: [pinia, i18n] } }).vm
}

test('a drawing that the agent is told of is on its way, at the relay, and with the agent', () => {
  const [outbox, room] = [useOutbox(), useRoom()]
  const said = (id: string, received: boolean, part = {}) => {
    const text = aText({ id, agentId: 'a1', content: 'Look', received, ...part })
    room.apply([{ type: 'text', seq: 0, text: { ...text, received: false } }, { type: 'text', seq: 0, text }])
  }
  said('earlier', true)
  const page = telling()
  expect([page.delivery, page.mayTell]).toEqual([null, true])
  page.tell('Look')
  expect([page.delivery?.text, page.mayTell]).toEqual(['Not sent, will retry', false])
  outbox.takeBack(outbox.entries[0]?.requestId ?? '')
  expect(page.delivery?.text).toBe('Sent, waits for Codex')
  said('elsewhere', true, { agentId: 'a2' })
  said('now', false)
  expect(page.delivery?.text).toBe('Sent, waits for Codex')
  said('now', true)
  expect([page.delivery?.text, page.mayTell]).toEqual(['Codex has it', false])
  page.forget()
  expect([page.delivery, page.mayTell]).toEqual([null, true])
})

test('what was refused can be said again', () => {
  const outbox = useOutbox()
  const page = telling()
  page.tell('Look')
  const { ref } = outbox.entries.at(-1) ?? { ref: '' }
  outbox.acknowledged({ type: 'ack', ref, accepted: false, code: 'too_large', message: '', seq: 0 })
  expect(page.delivery?.tone).toBe('bad')
  expect(page.mayTell).toBe(true)
})
