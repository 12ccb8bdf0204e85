import { onMounted, onScopeDispose, ref, type Ref } from 'vue'

/** A heading counts as reached when it is this close to the top. */
const REACHED_PX = 72

/** Which of the headings of a scrolled page is being read; `go` brings one to the top. */
export function useSpy(page: Ref<HTMLElement | null>, ids: readonly string[]) {
  const current = ref(ids[0] ?? '')

  function look(): void {
    const top = page.value?.getBoundingClientRect().top ?? 0
    const reached = ids.filter((id) => {
      const heading = document.getElementById(id)
      return heading !== null && heading.getBoundingClientRect().top - top <= REACHED_PX
    })
    current.value = reached.at(-1) ?? ids[0] ?? ''
  }

  function go(id: string): void {
    const heading = document.getElementById(id)
    heading?.scrollIntoView({ block: 'start' })
    heading?.focus({ preventScroll: true })
    current.value = id
  }

  const stop = new AbortController()
  onMounted(() => page.value?.addEventListener('scroll', look, { passive: true, signal: stop.signal }))
  onScopeDispose(() => {
    stop.abort()
  })
  return { current, go }
}
