import { computed, nextTick, ref, type Ref } from 'vue'

const MOST = 6
const STEP = 1.5
/** Less is the size that fits. */
const FITS = 1.05

interface Point {
  readonly clientX: number
  readonly clientY: number
}

function distance([a, b]: readonly Point[]): number {
  return a && b ? Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) : 0
}

function middle([a, b]: readonly Point[], otherwise: Point): Point {
  return a && b ? { clientX: (a.clientX + b.clientX) / 2, clientY: (a.clientY + b.clientY) / 2 } : otherwise
}

/** Enlarges what a scrolling frame shows: by steps, by the wheel with Ctrl, by two fingers; what is under them stays there. */
export function useZoom(frame: Ref<HTMLElement | null>) {
  const scale = ref(1)
  const isFitting = computed(() => scale.value === 1)
  const mayGrow = computed(() => scale.value < MOST)
  let pinch: { from: number; scale: number } | null = null

  async function zoomTo(next: number, at?: Point): Promise<void> {
    const element = frame.value
    const before = scale.value
    scale.value = next < FITS ? 1 : Math.min(MOST, next)
    if (!element) return
    const box = element.getBoundingClientRect()
    const x = at ? at.clientX - box.left : box.width / 2
    const y = at ? at.clientY - box.top : box.height / 2
    const [left, top, ratio] = [element.scrollLeft, element.scrollTop, scale.value / before]
    await nextTick()
    element.scrollLeft = (left + x) * ratio - x
    element.scrollTop = (top + y) * ratio - y
  }

  function zoomBy(steps: number, at?: Point): void {
    void zoomTo(scale.value * STEP ** steps, at)
  }

  function reset(): void {
    scale.value = 1
  }

  function onWheel(event: WheelEvent): void {
    if (!event.ctrlKey) return
    event.preventDefault()
    zoomBy(event.deltaY < 0 ? 1 : -1, event)
  }

  function onTouchStart({ touches }: TouchEvent): void {
    pinch = touches.length === 2 ? { from: distance(Array.from(touches)), scale: scale.value } : null
  }

  function onTouchMove(event: TouchEvent): void {
    if (!pinch || event.touches.length !== 2 || pinch.from === 0) return
    event.preventDefault()
    const fingers = Array.from(event.touches)
    void zoomTo((pinch.scale * distance(fingers)) / pinch.from, middle(fingers, { clientX: 0, clientY: 0 }))
  }

  return { scale, isFitting, mayGrow, zoomBy, reset, onWheel, onTouchStart, onTouchMove }
}
