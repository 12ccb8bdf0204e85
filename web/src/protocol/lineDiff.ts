/** The difference of two short texts, line by line. */

interface ChangedLine {
  readonly kind: 'a' | 'd' | 'n'
  readonly text: string
}

/** Longer texts are shown as removed and added as a whole. */
const MAX_LINES = 400

export function lineDiff(before: string, after: string): ChangedLine[] {
  const [old, now] = [before.split('\n'), after.split('\n')]
  if (old.length > MAX_LINES || now.length > MAX_LINES) return [...all(old, 'd'), ...all(now, 'a')]
  const common = commonLengths(old, now)
  const lines: ChangedLine[] = []
  let [i, j] = [0, 0]
  while (i < old.length && j < now.length) {
    const [removed = '', added = ''] = [old[i], now[j]]
    const step = stepAt(common, i, j, removed === added)
    lines.push({ kind: step, text: step === 'a' ? added : removed })
    if (step !== 'a') i += 1
    if (step !== 'd') j += 1
  }
  return [...lines, ...all(old.slice(i), 'd'), ...all(now.slice(j), 'a')]
}

function stepAt(common: number[][], i: number, j: number, isSame: boolean): ChangedLine['kind'] {
  if (isSame) return 'n'
  return lengthAt(common, i + 1, j) >= lengthAt(common, i, j + 1) ? 'd' : 'a'
}

function all(lines: readonly string[], kind: 'a' | 'd'): ChangedLine[] {
  return lines.map((text) => ({ kind, text }))
}

function lengthAt(table: readonly (readonly number[])[], i: number, j: number): number {
  return table[i]?.[j] ?? 0
}

/** How many lines the rests from i and j have in common. */
function commonLengths(old: readonly string[], now: readonly string[]): number[][] {
  const table = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0))
  for (let i = old.length - 1; i >= 0; i -= 1) {
    const row = table[i] ?? []
    for (let j = now.length - 1; j >= 0; j -= 1) {
      row[j] =
        old[i] === now[j]
          ? lengthAt(table, i + 1, j + 1) + 1
          : Math.max(lengthAt(table, i + 1, j), lengthAt(table, i, j + 1))
    }
  }
  return table
}
