import { computed } from 'vue'

import { useClock } from '../stores/clock'
import { useOutbox } from '../stores/outbox'
import { useSession } from '../stores/session'

const PATIENCE_MS = 2_000

/** Whether the connection is gone for longer than a moment, and what waits for it. */
export function useAway() {
  const [clock, outbox, session] = [useClock(), useOutbox(), useSession()]
  const isAway = computed(() => session.connection !== 'online' && clock.nowMs - session.awaySinceMs >= PATIENCE_MS)
  // Read again with every tick: the browser's own answer is no reactive value.
  const hasNetwork = computed(() => clock.nowMs > 0 && navigator.onLine)
  const queued = computed(() => outbox.entries.filter(({ state }) => state !== 'held').length)
  /** The relay has had something and could not take it yet. */
  const isRetrying = computed(() => outbox.entries.some(({ state, attempts }) => state === 'queued' && attempts > 0))
  const hasNews = computed(() => isAway.value || isRetrying.value)
  const facts = computed(() => ({
    isAway: isAway.value,
    awaySinceMs: session.awaySinceMs,
    retryAtMs: session.retryAtMs,
    nowMs: clock.nowMs,
    queued: queued.value,
    hasNetwork: hasNetwork.value,
    wasOnline: session.wasOnline,
  }))
  return { isAway, hasNetwork, queued, hasNews, facts }
}
