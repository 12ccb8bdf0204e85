/** How much of what was given to the socket has left this machine. */

export interface Upload {
  readonly ref: string
  readonly bytes: number
}

/** Smaller messages are gone before anybody could read a number. */
const WORTH_BYTES = 256 * 1024

/**
 * Per cent by ref, for the large ones. The socket sends in order, so what is still `buffered` is the
 * end of what was given to it last.
 */
export function percentages(uploads: readonly Upload[], buffered: number): Record<string, number> {
  const result: Record<string, number> = {}
  let left = buffered
  for (const { ref, bytes } of [...uploads].reverse()) {
    const waiting = Math.min(left, bytes)
    left -= waiting
    if (bytes >= WORTH_BYTES) result[ref] = Math.floor((1 - waiting / bytes) * 100)
  }
  return result
}
