/** The file of an export, put together from pieces so that no text as long as all of it is ever made. */
import { dayStart } from './format'
import type { Entry, Query } from './search'
import { dayMarkdown, entryJson, entryMarkdown, type TranscriptWords } from './transcript'

export type ExportFormat = 'markdown' | 'json'

/** What an export is about. */
export interface ExportFacts {
  /** Oldest first. */
  readonly entries: readonly Entry[]
  readonly query: Query
  /** All that the relay has was looked at. */
  readonly isComplete: boolean
  readonly nowMs: number
  /** The first lines of the Markdown file. */
  readonly title: string
  readonly words: TranscriptWords
}

/** So many entries become one piece. */
const PIECE = 200

export function exportFile(format: ExportFormat, facts: ExportFacts): Blob {
  const pieces: Blob[] = []
  for (const lines of format === 'json' ? jsonPieces(facts) : markdownPieces(facts)) pieces.push(new Blob([lines]))
  return new Blob(pieces, { type: format === 'json' ? 'application/json' : 'text/markdown' })
}

export function exportName(format: ExportFormat, nowMs: number): string {
  return `lineup-history-${new Date(nowMs).toISOString().slice(0, 10)}.${format === 'json' ? 'json' : 'md'}`
}

function* pages(entries: readonly Entry[]): Generator<readonly Entry[]> {
  for (let at = 0; at < entries.length; at += PIECE) yield entries.slice(at, at + PIECE)
}

function* markdownPieces({ entries, title, words }: ExportFacts): Generator<string> {
  yield `${title}\n`
  let [from, to] = [0, 0]
  for (const page of pages(entries)) {
    const lines = page.map(({ item, agent }) => {
      const isNew = item.atMs < from || item.atMs >= to
      if (isNew) [from, to] = [dayStart(item.atMs, 0), dayStart(item.atMs, 1)]
      return `\n${isNew ? `${dayMarkdown(item.atMs, words)}\n` : ''}${entryMarkdown(item, agent, words)}`
    })
    yield lines.join('')
  }
}

function* jsonPieces({ entries, query, isComplete, nowMs }: ExportFacts): Generator<string> {
  const head = { format: 'lineup-history', version: 1, exported: new Date(nowMs).toISOString(), complete: isComplete, query }
  yield `${JSON.stringify(head).slice(0, -1)},"entries":[`
  let isFirst = true
  for (const page of pages(entries)) {
    yield `${isFirst ? '\n' : ',\n'}${page.map(({ item, agent }) => entryJson(item, agent)).join(',\n')}`
    isFirst = false
  }
  yield '\n]}\n'
}
