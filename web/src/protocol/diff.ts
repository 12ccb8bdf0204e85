/** A unified diff, line by line, with what its head says. */

interface DiffLine {
  readonly kind: 'a' | 'd' | 'h' | 'n'
  /** With its line break, so that all lines together are the source, byte for byte. */
  readonly text: string
}

export interface Diff {
  readonly lines: readonly DiffLine[]
  readonly added: number
  readonly removed: number
  readonly file: string
}

export function diffLines(source: string): Diff {
  const lines = source.split(/(?<=\n)/).map((text) => ({ kind: kindOf(text), text }))
  const file = /^\+\+\+ (?:b\/)?(.+?)\s*$/m.exec(source)?.[1] ?? 'diff'
  return {
    lines,
    added: lines.filter(({ kind }) => kind === 'a').length,
    removed: lines.filter(({ kind }) => kind === 'd').length,
    file,
  }
}

function kindOf(line: string): DiffLine['kind'] {
  if (/^(?:@@|\+\+\+ |--- |diff |index )/.test(line)) return 'h'
  if (line.startsWith('+')) return 'a'
  if (line.startsWith('-')) return 'd'
  return 'n'
}
