/** What devices say to each other: in this page's memory only. */
export interface ChatLine {
  readonly id: string
  readonly content: string
  readonly atMs: number
  readonly mine: boolean
  readonly state: 'sending' | 'delivered' | 'failed'
}

const KEPT = 200

/** Adds a line; one that is there already is not said again. */
export function addLine(lines: readonly ChatLine[], line: ChatLine): readonly ChatLine[] {
  if (lines.some(({ id }) => id === line.id)) return lines
  return [...lines, line].slice(-KEPT)
}

export function setState(lines: readonly ChatLine[], id: string, state: ChatLine['state']): readonly ChatLine[] {
  return lines.map((line) => (line.id === id ? { ...line, state } : line))
}
