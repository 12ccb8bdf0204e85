import { defineStore } from 'pinia'
import { computed, ref } from 'vue'

/** The page's second hand, and what the relay's clock says at the same time. */
export const useClock = defineStore('clock', () => {
  const nowMs = ref(Date.now())
  const offsetMs = ref(0)
  const relayNowMs = computed(() => nowMs.value + offsetMs.value)

  function tick(): void {
    nowMs.value = Date.now()
  }

  /** Takes over the relay's clock as it was just told. */
  function setRelayClock(clockMs: number): void {
    tick()
    if (clockMs > 0) offsetMs.value = clockMs - nowMs.value
  }

  return { nowMs, relayNowMs, tick, setRelayClock }
})
