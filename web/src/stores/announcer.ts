import { defineStore } from 'pinia'
import { ref } from 'vue'

/** The same words twice are a change only if something differs. */
function again(before: string, text: string): string {
  return before === text ? `${text}\u00a0` : text
}

/** What a screen reader is told; the two live regions of the page show it. */
export const useAnnouncer = defineStore('announcer', () => {
  const polite = ref('')
  const assertive = ref('')

  function say(text: string): void {
    polite.value = again(polite.value, text)
  }

  function interrupt(text: string): void {
    assertive.value = again(assertive.value, text)
  }

  return { polite, assertive, say, interrupt }
})
