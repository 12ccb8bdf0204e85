import { defaultRangeExtractor, useVirtualizer, type Range, type VirtualItem, type Virtualizer } from '@tanstack/vue-virtual'
import { computed, nextTick, onMounted, onScopeDispose, ref, watch, type Ref } from 'vue'

/** "At the end" is this near to it. */
const NEAR_PX = 80
/** A question with its answer; only the scroll bar knows before it is measured. */
const ESTIMATE_PX = 132
/** The line above the first entry. */
const HEAD_PX = 56
const MAX_FRAMES = 40

/**
 * The rows of a long list that are near the visible part. What is read stays where it is while rows
 * come on top, change their height or arrive below; who is at the end stays at the end. `unread`
 * counts what arrived below somebody who is further up.
 */
export function useRows(list: Ref<HTMLElement | null>, keys: () => readonly string[]) {
  const isAtEnd = ref(true)
  const unread = ref(0)
  /** The row with the focus stays, or the focus would be lost. */
  const focusedKey = ref('')
  let newest = keys().at(-1)
  let oldest = keys().at(0)
  /** It was the first row, with a day and a name above it that now stand further up. */
  let beheaded: string | undefined
  let observer: ResizeObserver | undefined
  let isRevealing = false
  let lastTop = 0

  // Before the list moves: afterwards nobody knows any more who was at the end.
  watch(
    keys,
    (now) => {
      const at = newest === undefined ? -1 : now.lastIndexOf(newest)
      unread.value = at < 0 || isAtEnd.value ? 0 : unread.value + now.length - 1 - at
      newest = now.at(-1)
      if (oldest !== undefined && oldest !== now[0]) beheaded = oldest
      oldest = now.at(0)
    },
    { flush: 'sync' },
  )

  // The list follows what comes only if it stands at its end then; a card that has just come or gone has moved that.
  watch(
    () => keys().at(-1),
    () => {
      keepEnd()
    },
    { flush: 'post' },
  )

  function around(range: Range): number[] {
    const indexes = defaultRangeExtractor(range)
    const focused = focusedKey.value ? keys().indexOf(focusedKey.value) : -1
    if (focused < 0 || indexes.includes(focused)) return indexes
    return [...indexes, focused].sort((a, b) => a - b)
  }

  const virtualizer = useVirtualizer(
    computed(() => {
      const all = keys()
      return {
        count: all.length,
        getItemKey: (index: number) => all[index] ?? index,
        getScrollElement: () => list.value,
        estimateSize: () => ESTIMATE_PX,
        initialOffset: () => all.length * ESTIMATE_PX,
        paddingStart: HEAD_PX,
        paddingEnd: 16,
        overscan: 5,
        anchorTo: 'end' as const,
        followOnAppend: true,
        scrollEndThreshold: NEAR_PX,
        rangeExtractor: around,
        onChange: () => {
          look()
        },
      }
    }),
  )

  /** A row has changed its height by so much: does it hold what is below it in its place? */
  function holds({ key, start, end }: VirtualItem, delta: number, of: Virtualizer<HTMLElement, Element>): boolean {
    if (key === beheaded) {
      beheaded = undefined
      if (delta < 0) return true
    }
    const top = of.scrollOffset ?? 0
    const isNew = !of.itemSizeCache.has(key)
    // What grows at its end may do so; and who scrolls up measures what comes into sight.
    return isNew ? start < top : end <= top && of.scrollDirection !== 'backward'
  }

  virtualizer.value.shouldAdjustScrollPositionOnItemSizeChange = holds
  const rows = computed(() => virtualizer.value.getVirtualItems())
  const height = computed(() => virtualizer.value.getTotalSize())

  /** Only who scrolls up leaves the end; when the list gets lower, the end has left. */
  function look(): void {
    const top = virtualizer.value.scrollOffset ?? 0
    const isNear = virtualizer.value.isAtEnd(NEAR_PX)
    if (isNear) unread.value = 0
    if (isNear || top < lastTop) isAtEnd.value = isNear
    lastTop = top
  }

  function keepEnd(): void {
    if (isAtEnd.value && !isRevealing) toEnd()
  }

  function toEnd(): void {
    virtualizer.value.scrollToEnd()
    isAtEnd.value = true
    unread.value = 0
  }

  function measure(element: unknown): void {
    virtualizer.value.measureElement(element instanceof HTMLElement ? element : null)
  }

  /** Brings a row into sight and focuses what it contains; false if there is none with this key. */
  async function reveal(key: string, align: 'center' | 'auto'): Promise<boolean> {
    const index = keys().indexOf(key)
    if (index < 0) return false
    isRevealing = true
    isAtEnd.value = false
    // A list that has just been built does not know yet what scrolls.
    await nextTick()
    const target = await rendered(key, () => {
      virtualizer.value.scrollToIndex(keys().indexOf(key), { align })
    })
    target?.focus({ preventScroll: true })
    isRevealing = false
    look()
    return target !== null
  }

  async function rendered(key: string, scroll: () => void): Promise<HTMLElement | null> {
    for (let frame = 0; frame < MAX_FRAMES; frame += 1) {
      if (frame % 10 === 0) scroll()
      const target = list.value?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)
      if (target) return target
      await new Promise(requestAnimationFrame)
    }
    return null
  }

  onMounted(async () => {
    await nextTick()
    if (!isRevealing) toEnd()
    if (!list.value || typeof ResizeObserver === 'undefined') return
    // The keyboard opens, a card comes: the end stays the end.
    observer = new ResizeObserver(keepEnd)
    observer.observe(list.value)
    list.value.addEventListener('scroll', look, { passive: true })
  })
  onScopeDispose(() => {
    observer?.disconnect()
  })

  return { rows, height, unread, focusedKey, toEnd, measure, reveal }
}
