import { defineStore } from 'pinia'
import { computed, ref } from 'vue'

import { draftText, EMPTY_DRAFT, writeText } from '../protocol/draft'
import type { RequestFacts } from '../protocol/view'
import { useAgents } from './agents'
import { useDrafts } from './drafts'
import { useOutbox } from './outbox'

const DRAFT = 'message'
/** Everybody, in the list of recipients. */
const ALL = '*'

/** What is being written to an agent that did not ask. */
export const useMessage = defineStore('message', () => {
  const agents = useAgents()
  const drafts = useDrafts()
  const outbox = useOutbox()
  const chosen = ref('')
  /** Counts up when the text box should take the focus. */
  const focusWish = ref(0)

  const text = computed({
    get: () => drafts.get(DRAFT).questions[0]?.text ?? '',
    set: (words) => {
      drafts.set(DRAFT, writeText(EMPTY_DRAFT, 0, words))
    },
  })
  /** Null: everybody. Whoever was chosen and is no longer known gives way to the first of the list. */
  const recipient = computed(() => {
    if (chosen.value === ALL) return null
    return agents.reachable.find(({ agent }) => agent.id === chosen.value) ?? agents.reachable[0] ?? null
  })
  const recipientId = computed({
    get: () => recipient.value?.agent.id ?? ALL,
    set: (id) => {
      chosen.value = id
    },
  })

  function writeTo(agentId: string): void {
    if (agentId) chosen.value = agentId
    focusWish.value += 1
  }

  function send(): void {
    const words = text.value.replaceAll('\r\n', '\n').trim()
    if (!words) return
    // It stays with whom it was written to, even if the list changes now.
    chosen.value = recipientId.value
    outbox.write(recipient.value?.agent.id ?? '', words)
    drafts.clear(DRAFT)
  }

  /** Words typed for a card that needs no answer any more, as a text to its agent. */
  function note({ id, agent }: RequestFacts): void {
    const words = draftText(drafts.get(id)).trim()
    if (!agent.id || !words) return
    outbox.write(agent.id, words)
    drafts.clear(id)
  }

  return { text, recipient, recipientId, focusWish, all: ALL, writeTo, send, note }
})
