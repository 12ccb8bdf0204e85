import { defineStore } from 'pinia'
import { ref } from 'vue'

/** Parts of the page that could not be loaded; the rest goes on. */
export const useMissing = defineStore('missing', () => {
  const isMissing = ref(false)
  /** Where somebody wanted to go; "" if it was a smaller part. */
  const path = ref('')
  /** Load what is missing once more. */
  const loads = new Set<() => void>()

  function note(wanted: string): void {
    isMissing.value = true
    path.value = wanted
  }

  /** Something that is to be seen did not come. */
  function noteHole(load: () => void): void {
    isMissing.value = true
    loads.add(load)
  }

  /** Nobody waits for it, so nothing is said. */
  function postpone(load: () => void): void {
    loads.add(load)
  }

  /** Loads all that is missing again, except where somebody wanted to go: they may be elsewhere by now. */
  function retry(): void {
    isMissing.value = path.value !== ''
    const again = [...loads]
    loads.clear()
    for (const load of again) load()
  }

  function clear(): void {
    isMissing.value = false
    path.value = ''
  }

  return { isMissing, path, note, noteHole, postpone, retry, clear }
})
