import { nextTick, onMounted, onScopeDispose, ref, watch, type Ref } from 'vue'

const NEAR_PX = 80

/**
 * Keeps a list at its bottom while the reader is there, and where it is while they are not; then
 * `unread` counts what arrived below.
 */
export function useStickyBottom(list: Ref<HTMLElement | null>, count: () => number) {
  const isAtBottom = ref(true)
  const unread = ref(0)
  let observer: ResizeObserver | undefined

  function toBottom(): void {
    const element = list.value
    if (!element) return
    element.scrollTop = element.scrollHeight
    isAtBottom.value = true
    unread.value = 0
  }

  function onScroll(): void {
    const element = list.value
    if (!element) return
    isAtBottom.value = element.scrollHeight - element.scrollTop - element.clientHeight <= NEAR_PX
    if (isAtBottom.value) unread.value = 0
  }

  watch(count, async (now, before) => {
    const wasAtBottom = isAtBottom.value
    await nextTick()
    if (wasAtBottom) toBottom()
    else if (now > before) unread.value += now - before
  })
  onMounted(() => {
    toBottom()
    if (!list.value || typeof ResizeObserver === 'undefined') return
    observer = new ResizeObserver(() => {
      if (isAtBottom.value) toBottom()
    })
    observer.observe(list.value)
  })
  onScopeDispose(() => {
    observer?.disconnect()
  })

  return { unread, onScroll, toBottom }
}
