/** Ready answers, and what is put around every written one. */
import { questionDraft, writeText, type Draft } from './draft'

export interface QuickReply {
  readonly text: string
  /** Goes out at once; else it is put into the text box. */
  readonly send: boolean
}

export const MAX_QUICK_REPLIES = 200
const MAX_HISTORY = 50

/** What another device wrote; null if it is nothing of the kind. */
export function parseQuickReplies(value: unknown): QuickReply[] | null {
  if (!Array.isArray(value)) return null
  return value
    .map((item: unknown) => (typeof item === 'object' && item !== null ? (item as Partial<QuickReply>) : {}))
    .filter(({ text }) => typeof text === 'string')
    .map(({ text = '', send }) => ({ text, send: send === true }))
    .slice(0, MAX_QUICK_REPLIES)
}

/** Moves an entry up (-1) or down (1); at the ends nothing changes. */
export function moved<T>(list: readonly T[], index: number, by: -1 | 1): T[] {
  const next = [...list]
  const [item] = next.splice(index, 1)
  if (item !== undefined) next.splice(Math.max(0, index + by), 0, item)
  return next
}

export interface Wrap {
  readonly prefix: string
  readonly suffix: string
  readonly isOn: boolean
}

export const NO_WRAP: Wrap = { prefix: '', suffix: '', isOn: true }

export function parseWrap(value: unknown): Wrap | null {
  if (typeof value !== 'object' || value === null) return null
  const { prefix, suffix, isOn } = value as Partial<Wrap>
  if (typeof prefix !== 'string' || typeof suffix !== 'string') return null
  return { prefix, suffix, isOn: isOn !== false }
}

/** Puts the prefix and suffix around the written words; chosen options stay as they are. */
export function wrapped(draft: Draft, { prefix, suffix, isOn }: Wrap): Draft {
  if (!isOn || (!prefix && !suffix)) return draft
  return draft.questions.reduce((result, _, index) => {
    const text = questionDraft(draft, index).text.trim()
    return text ? writeText(result, index, [prefix, text, suffix].filter(Boolean).join('\n')) : result
  }, draft)
}

/** Earlier words, newest first, each once. */
export function historyOf(texts: readonly string[]): string[] {
  return [...new Set(texts.map((text) => text.trim()).filter(Boolean))].slice(0, MAX_HISTORY)
}
