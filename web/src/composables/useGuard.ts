import { onScopeDispose, ref, watch, type Ref } from 'vue'

const GUARD_MS = 400

/**
 * A card that just appeared or moved swallows taps and keys for a moment, so that nobody answers
 * by accident. `key` changes when that happens.
 */
export function useGuard(key: () => unknown) {
  const isReady: Ref<boolean> = ref(false)
  let timer: ReturnType<typeof setTimeout> | undefined

  watch(
    key,
    () => {
      isReady.value = false
      clearTimeout(timer)
      timer = setTimeout(() => {
        isReady.value = true
      }, GUARD_MS)
    },
    { immediate: true },
  )
  onScopeDispose(() => {
    clearTimeout(timer)
  })

  function swallow(event: Event): void {
    if (isReady.value) return
    event.preventDefault()
    event.stopPropagation()
  }

  return { isReady, swallow }
}
