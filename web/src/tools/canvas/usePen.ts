import { ref, type Ref } from 'vue'

export type Point = readonly [number, number]

const STEP = 10
const MOST_POINTS = 4_000
const ARROWS: Readonly<Record<string, Point>> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }

/**
 * A pen for finger, mouse and keyboard. `line` is what is being drawn, `at` where the keyboard's pen
 * stands; `done` gets each finished line.
 */
export function usePen(size: () => { readonly width: number; readonly height: number }, done: (points: readonly Point[]) => void) {
  const line: Ref<readonly Point[]> = ref([])
  const at: Ref<Point | null> = ref(null)
  /** The keyboard's pen draws. */
  const isDown = ref(false)

  function within([x, y]: Point): Point {
    const { width, height } = size()
    return [Math.min(width, Math.max(0, x)), Math.min(height, Math.max(0, y))]
  }

  function start(point: Point): void {
    line.value = [within(point)]
  }

  function move(point: Point): void {
    if (line.value.length > 0 && line.value.length < MOST_POINTS) line.value = [...line.value, within(point)]
  }

  function end(): void {
    if (line.value.length > 0) done(line.value)
    line.value = []
    isDown.value = false
  }

  /** True if the key was for the pen. */
  function key(name: string, isFine: boolean): boolean {
    const { width, height } = size()
    const from = at.value ?? [Math.round(width / 2), Math.round(height / 2)]
    const arrow = ARROWS[name]
    if (arrow) {
      const step = isFine ? 1 : STEP
      at.value = within([from[0] + arrow[0] * step, from[1] + arrow[1] * step])
      if (isDown.value) move(at.value)
      return true
    }
    if (name !== ' ') return false
    at.value = from
    if (isDown.value) end()
    else {
      start(from)
      isDown.value = true
    }
    return true
  }

  return { line, at, isDown, start, move, end, key }
}
