import type { AnswerView, AskedView } from '../../protocol/view'
import type { AskedCard } from '../asked'

const FIELDS: Readonly<Record<string, AskedView['field']>> = { line: 'line', lines: 'lines', secret: 'secret' }

/** A text box of the asked kind; null if it is not said what for, or the kind is unknown. */
export function inputQuestion({ question, kind = 'line', placeholder = '' }: Readonly<Record<string, unknown>>): AskedCard | null {
  if (typeof question !== 'string' || !question.trim() || typeof placeholder !== 'string') return null
  // An unknown kind may be one that must stay hidden.
  if (typeof kind !== 'string' || !Object.hasOwn(FIELDS, kind)) return null
  const field = FIELDS[kind] ?? 'secret'
  return {
    question: { text: question, header: '', options: [], multiple: false, custom: true },
    asked: { tool: 'input', field, placeholder },
  }
}

export function inputResult({ text }: AnswerView) {
  return { message: text }
}
