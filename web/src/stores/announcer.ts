import { defineStore } from 'pinia'
import { ref } from 'vue'

/** What a screen reader is told; the two live regions of the page show it. */
export const useAnnouncer = defineStore('announcer', () => {
  const polite = ref('')
  const assertive = ref('')

  function say(text: string): void {
    polite.value = text
  }

  function interrupt(text: string): void {
    assertive.value = text
  }

  return { polite, assertive, say, interrupt }
})
