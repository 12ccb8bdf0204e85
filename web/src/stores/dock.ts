import { defineStore } from 'pinia'
import { computed, ref } from 'vue'

import { draftOf } from '../protocol/draft'
import { useAttachments } from './attachments'
import { useDrafts } from './drafts'
import { useOutbox } from './outbox'
import { useRoom } from './room'

/** Which card is open, and which wait behind it. */
export const useDock = defineStore('dock', () => {
  const room = useRoom()
  const outbox = useOutbox()
  const drafts = useDrafts()
  const attachments = useAttachments()
  const openId = ref('')
  /** The open card was over when it was opened: somebody wants to answer late. */
  const isPinned = ref(false)
  /** The open card has this device's answer, and it is being changed. */
  const correctingId = ref('')
  const isFolded = ref(false)
  /** Counts up when the text box of the open card should take the focus. */
  const focusWish = ref(0)

  const answering = computed(
    () => new Set(outbox.entries.filter(({ state }) => state !== 'held').map((e) => e.requestId)),
  )
  const waiting = computed(() => room.pending.filter(({ id }) => !answering.value.has(id)))
  const card = computed(() => room.state.requests.get(openId.value))
  const next = computed(() => waiting.value.filter(({ id }) => id !== openId.value))
  const position = computed(() => waiting.value.findIndex(({ id }) => id === openId.value) + 1)

  /** Whether the open card may stay: it never changes under somebody's hands. */
  const mayStay = computed(() => {
    const open = card.value
    if (!open || answering.value.has(open.id)) return false
    if (open.phase === 'pending' || correctingId.value === open.id) return true
    return !open.reply?.mine
  })

  /** Opens the next card if the present one is done with. */
  function settle(): void {
    if (mayStay.value) return
    close()
  }

  function open(id: string): void {
    correctingId.value = ''
    openId.value = id
    isFolded.value = false
    isPinned.value = card.value !== undefined && card.value.phase !== 'pending'
  }

  /** Puts an ended card away; what was typed stays with its entry in the timeline. */
  function close(): void {
    isPinned.value = false
    correctingId.value = ''
    openId.value = next.value[0]?.id ?? ''
    if (!openId.value) isFolded.value = false
  }

  /** The open card is over and nobody has typed anything: it need not stay. */
  const isIdleEnd = computed(() => {
    const open = card.value
    const isKept = open && (isPinned.value || drafts.has(open.id) || attachments.of(open.id).length > 0)
    return open !== undefined && open.phase !== 'pending' && !isKept
  })

  function step(by: number): void {
    const all = waiting.value
    const at = all.findIndex(({ id }) => id === openId.value)
    const target = all[(at + by + all.length) % all.length]
    if (target) open(target.id)
  }

  /** An answer that the agent does not have yet may still be changed. */
  function correct(id: string): void {
    const request = room.request(id)
    if (!request?.reply) return
    drafts.set(id, draftOf(request, request.reply.answers))
    open(id)
    correctingId.value = id
    focusWish.value += 1
  }

  /** Nobody answered in time; it may still be said. */
  function answerLate(id: string): void {
    open(id)
    focusWish.value += 1
  }

  function edit(id: string): void {
    outbox.takeBack(id)
    open(id)
    focusWish.value += 1
  }

  return {
    openId,
    correctingId,
    correct,
    isPinned,
    isFolded,
    focusWish,
    waiting,
    card,
    next,
    position,
    mayStay,
    isIdleEnd,
    settle,
    open,
    close,
    step,
    answerLate,
    edit,
  }
})
