const FIRST_MS = 500
const LONGEST_MS = 10_000

/**
 * How long to wait before attempt number `attempt` (from 0): 0.5 s doubling to 10 s, of which the
 * later half is left to chance, so that the devices of a restarted relay do not come back as one.
 */
export function backoffMs(attempt: number, random: () => number): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 16))
  return full / 2 + random() * (full / 2)
}
