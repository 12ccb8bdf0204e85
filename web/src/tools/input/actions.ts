import type { AnswerView, AskedView } from '../../protocol/view'
import type { AskedCard } from '../asked'

function fieldOf(multiline: boolean, secret: boolean): AskedView['field'] {
  if (secret) return 'secret'
  return multiline ? 'lines' : 'line'
}

/** A text box of the asked kind; null if it is not said what for, or what kind. */
export function inputQuestion(args: Readonly<Record<string, unknown>>): AskedCard | null {
  const { question, multiline = false, secret = false, placeholder = '' } = args
  if (typeof question !== 'string' || !question.trim() || typeof placeholder !== 'string') return null
  // What is neither true nor false may mean that it must stay hidden.
  if (typeof multiline !== 'boolean' || typeof secret !== 'boolean') return null
  const field = fieldOf(multiline, secret)
  return {
    question: { text: question, header: '', options: [], multiple: false, custom: true },
    asked: { tool: 'input', field, placeholder },
  }
}

export function inputResult({ text }: AnswerView) {
  return { message: text }
}
