import type { FrameSession } from './frame'

/** A frame that can answer does so in less. */
const ANSWER_MS = 5_000

/**
 * One MiniApp has crashed. Browsers give the sandboxed frames of a page one process, or even the page's: if it never
 * ended its turn, the others hang with it. The process ends when its last frame is gone, so those that do not answer
 * are taken down in one go, with those that began meanwhile and would keep it.
 */
export function checkNeighbours(others: () => readonly FrameSession[], now: () => number): void {
  const sinceMs = now()
  for (const one of others()) one.ping()
  setTimeout(() => {
    const silent = others().filter((one) => one.isSilentSince(sinceMs))
    if (silent.some((one) => one.hasRunSince(sinceMs))) for (const one of silent) one.takenDown()
  }, ANSWER_MS)
}
