import { defineStore } from 'pinia'
import { computed, ref } from 'vue'

import { draftOf } from '../protocol/draft'
import { useClock } from './clock'
import { useDrafts } from './drafts'
import { useKeptWords } from './keptWords'
import { useOutbox } from './outbox'
import { useRoom } from './room'

/** How long after the last touch somebody is still at work on a card that is over. */
const BUSY_MS = 20_000

/** Which card is open, and which wait behind it. */
export const useDock = defineStore('dock', () => {
  const room = useRoom()
  const outbox = useOutbox()
  const drafts = useDrafts()
  const words = useKeptWords()
  const clock = useClock()
  const openId = ref('')
  /** The open card was over when it was opened: somebody wants to answer late. */
  const isPinned = ref(false)
  /** The open card has this device's answer, and it is being changed. */
  const correctingId = ref('')
  const isFolded = ref(false)
  /** When something was last typed or chosen on the open card, or the card asked for. */
  const touchedMs = ref(0)
  /** Counts up when the text box of the open card should take the focus. */
  const focusWish = ref(0)

  const answering = computed(
    () => new Set(outbox.entries.filter(({ state }) => state !== 'held').map((e) => e.requestId)),
  )
  const waiting = computed(() => room.pending.filter(({ id }) => !answering.value.has(id)))
  const card = computed(() => room.state.requests.get(openId.value))
  const next = computed(() => waiting.value.filter(({ id }) => id !== openId.value))
  const position = computed(() => waiting.value.findIndex(({ id }) => id === openId.value) + 1)

  /** What the folded dock shows: the open card, or the first that waits if that one does not. */
  const front = computed(() => (position.value > 0 ? card.value : (next.value[0] ?? card.value)))

  const isBusy = computed(() => !isFolded.value && clock.nowMs - touchedMs.value < BUSY_MS)

  /** Whether the open card may stay: it never changes under somebody's hands, but what waits comes before what is over. */
  const mayStay = computed(() => {
    const open = card.value
    if (!open || answering.value.has(open.id)) return false
    if (open.phase === 'pending') return true
    if (open.reply?.mine && correctingId.value !== open.id) return false
    return next.value.length === 0 || isBusy.value
  })

  /** Opens the next card if the present one is done with. */
  function settle(): void {
    if (mayStay.value) return
    if (card.value && card.value.phase !== 'pending' && !card.value.reply?.mine) words.leave(openId.value)
    close()
  }

  /** Somebody is at work on the open card. */
  const touch = () => void (touchedMs.value = Date.now())

  function open(id: string): void {
    show(id, '')
  }

  /** All that lets a card stay comes before it is there: it is watched. */
  function show(id: string, correcting: string): void {
    touch()
    isFolded.value = false
    correctingId.value = correcting
    openId.value = id
    isPinned.value = card.value !== undefined && card.value.phase !== 'pending'
  }

  /** Out of the folded dock. */
  function unfold(): void {
    if (front.value && front.value.id !== openId.value) open(front.value.id)
    else isFolded.value = false
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
    const isKept = open && (isPinned.value || words.has(open.id))
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
    show(id, id)
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
    front,
    next,
    position,
    mayStay,
    isIdleEnd,
    settle,
    touch,
    unfold,
    open,
    close,
    step,
    answerLate,
    edit,
  }
})
