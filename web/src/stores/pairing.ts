import { defineStore } from 'pinia'
import { ref, shallowRef } from 'vue'

import type { PairingFacts } from '../protocol/pairing'

/** The code by which one more device joins, on the device that shows it and on the one that scanned it. */
export const usePairing = defineStore('pairing', () => {
  /** What the relay last told about the code that is shown here. */
  const told = shallowRef<PairingFacts | null>(null)
  /** The code with which this page was opened; in memory only. */
  const scanned = ref('')

  function tell(facts: PairingFacts | null): void {
    told.value = facts
  }

  return { told, scanned, tell }
})
