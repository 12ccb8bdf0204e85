import { defineStore } from 'pinia'
import { ref } from 'vue'

/** A part of the page that could not be loaded; the rest goes on. */
export const useMissing = defineStore('missing', () => {
  const isMissing = ref(false)
  /** Where somebody wanted to go; "" if it was a smaller part. */
  const path = ref('')

  function note(wanted: string): void {
    isMissing.value = true
    path.value = wanted
  }

  function clear(): void {
    isMissing.value = false
    path.value = ''
  }

  return { isMissing, path, note, clear }
})
