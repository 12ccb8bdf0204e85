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

/**
 * A MiniApp leaves its pings unanswered. Of all that are silent now the one is to blame that was silent first after its
 * start or a call; if each said something after that, the one that was called last. It stops, the others begin anew.
 */
export function endSilent(one: FrameSession, all: readonly FrameSession[]): void {
  // The check of the neighbours of that one is on its way, and takes this one down with all the others.
  if (all.some((other) => other.hasCrashedSince(one))) return
  const [culprit, ...innocent] = all.filter((other) => other === one || other.isSilent).sort(byBlame)
  culprit?.hung(innocent.length === 0)
  for (const other of innocent) other.takenDown()
}

function byBlame({ asked: a }: FrameSession, { asked: b }: FrameSession): number {
  if (a.isMute !== b.isMute) return a.isMute ? -1 : 1
  return a.isMute ? a.atMs - b.atMs : b.atMs - a.atMs
}
