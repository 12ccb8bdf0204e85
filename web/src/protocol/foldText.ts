/** Long texts show their beginning first. */

/** In lines of a phone; a text that is only a little longer is shown as it is. */
const FOLD_FROM = 24
const SHOWN = 14
const LINE_CHARACTERS = 60
const FENCE = /^ {0,3}(?:>\s?)*(`{3,}|~{3,})/m
/** More lines than these before code are worth showing alone. */
const SAID = 2

export interface FoldedText {
  readonly head: string
  readonly isLong: boolean
}

/** Cuts between lines, and never inside of fenced code: what is copied there is always all of it. */
export function foldText(text: string): FoldedText {
  const lines = text.split('\n')
  const all = { head: text, isLong: false }
  if (lineAt(lines, FOLD_FROM) === null) return all
  const cut = lineAt(lines, SHOWN) ?? lines.length
  const fence = fenceAt(lines, cut)
  // Inside of code: before it, if that says something; else behind it.
  const end = fence && (fence.start > SAID ? fence.start : fence.end)
  const head = lines.slice(0, end ?? cut).join('\n')
  // A line without an end has no other place to be cut at.
  const isEndless = !fence && head.length > 3 * SHOWN * LINE_CHARACTERS && !FENCE.test(head)
  const shown = isEndless ? `${Array.from(head).slice(0, SHOWN * LINE_CHARACTERS).join('')}…` : head
  return shown.length < text.length ? { head: shown, isLong: true } : all
}

/** Behind which line the text has this height; null if it is lower. */
function lineAt(lines: readonly string[], height: number): number | null {
  let sum = 0
  for (const [index, line] of lines.entries()) {
    sum += Math.max(1, Math.ceil(line.length / LINE_CHARACTERS))
    if (sum >= height) return index + 1
  }
  return null
}

/** The fenced code that a cut would go through, from its first line to behind its last. */
function fenceAt(lines: readonly string[], cut: number): { start: number; end: number } | null {
  let start = 0
  while (start < cut) {
    const mark = markOf(lines[start])
    if (!mark) {
      start += 1
      continue
    }
    const close = lines.findIndex((line, index) => index > start && markOf(line).startsWith(mark))
    const end = close < 0 ? lines.length : close + 1
    if (end > cut) return { start, end }
    start = end
  }
  return null
}

function markOf(line = ''): string {
  return FENCE.exec(line)?.[1] ?? ''
}
