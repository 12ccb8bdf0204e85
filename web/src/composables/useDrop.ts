import { ref } from 'vue'

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') ?? false
}

/** Files dropped on an element; `isOver` while they hang above it. */
export function useDrop(take: (files: File[]) => void) {
  const isOver = ref(false)

  function over(event: DragEvent): void {
    if (!hasFiles(event)) return
    event.preventDefault()
    isOver.value = true
  }

  function leave(event: DragEvent): void {
    const [from, to] = [event.currentTarget, event.relatedTarget]
    if (from instanceof Node && to instanceof Node && from.contains(to)) return
    isOver.value = false
  }

  function drop(event: DragEvent): void {
    isOver.value = false
    if (!hasFiles(event)) return
    event.preventDefault()
    take([...(event.dataTransfer?.files ?? [])])
  }

  return { isOver, over, leave, drop }
}
