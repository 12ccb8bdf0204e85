import { defineStore } from 'pinia'
import { computed, ref } from 'vue'

import { draftText, EMPTY_DRAFT, writeText } from '../protocol/draft'
import type { OutboxEntry } from '../protocol/outbox'
import { tooMany } from '../protocol/texts'
import type { RequestFacts } from '../protocol/view'
import { useAgents } from './agents'
import { useAttachments } from './attachments'
import { useDrafts } from './drafts'
import { useOutbox } from './outbox'
import { useSession } from './session'

/** Under this name the text and what is attached to it are kept. */
const DRAFT = 'message'
/** Everybody, in the list of recipients. */
const ALL = '*'

/** What is being written to an agent that did not ask. */
export const useMessage = defineStore('message', () => {
  const agents = useAgents()
  const drafts = useDrafts()
  const outbox = useOutbox()
  const attached = useAttachments()
  const session = useSession()
  const chosen = ref('')
  /** Counts up when the text box should take the focus. */
  const focusWish = ref(0)

  const text = computed({
    get: () => drafts.get(DRAFT).questions[0]?.text ?? '',
    set: (words) => {
      drafts.set(DRAFT, writeText(EMPTY_DRAFT, 0, words))
    },
  })
  const attachments = computed(() => attached.of(DRAFT))
  const refusals = computed(() => attached.refusals[DRAFT] ?? [])
  const canSend = computed(() => (text.value.trim() !== '' || attachments.value.length > 0) && tooMany(text.value) === 0)
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
    if (!canSend.value) return
    const words = text.value.replaceAll('\r\n', '\n').trim()
    // It stays with whom it was written to, even if the list changes now.
    chosen.value = recipientId.value
    const sent = outbox.write(recipient.value?.agent.id ?? '', words, attachments.value.map(({ id }) => id))
    attached.move(DRAFT, sent)
    drafts.clear(DRAFT)
  }

  /** A text that is not sent, back into the text box, behind what is there. */
  function takeBack({ requestId, agentId, text: words }: OutboxEntry): void {
    if (!canSend.value) chosen.value = agentId || ALL
    outbox.takeBack(requestId)
    text.value = [text.value, words].filter(Boolean).join('\n')
    const back = attached.of(requestId).map((one) => attached.offer(DRAFT, one, session.limits))
    attached.clear(requestId)
    attached.refuse(DRAFT, back.filter((refusal) => refusal !== null))
    focusWish.value += 1
  }

  /** Words typed for a card that needs no answer any more, as a text to its agent. */
  function note({ id, agent }: RequestFacts): void {
    const words = draftText(drafts.get(id)).trim()
    if (!agent.id || !words) return
    outbox.write(agent.id, words)
    drafts.clear(id)
  }

  return { text, attachments, refusals, canSend, recipient, recipientId, focusWish, draftId: DRAFT, all: ALL, writeTo, send, takeBack, note }
})
