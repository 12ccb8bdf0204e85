import type { AnswerView, QuestionView } from '../../protocol/view'
import type { AskedCard } from '../asked'

type Arguments = Readonly<Record<string, unknown>>

/** The question and its options; null if they are missing or of another type. */
export function optionsQuestion({ question, options }: Arguments, multiple: boolean): QuestionView | null {
  if (typeof question !== 'string' || !question.trim() || !Array.isArray(options)) return null
  const labels = new Set(options.filter((option): option is string => typeof option === 'string' && option.trim() !== ''))
  if (labels.size === 0) return null
  return { text: question, header: '', options: [...labels].map((label) => ({ label, description: '' })), multiple, custom: true }
}

export function choiceQuestion(args: Arguments): AskedCard | null {
  const question = optionsQuestion(args, false)
  return question && { question, asked: { tool: 'choice', field: 'lines', placeholder: '' } }
}

/** The answer as one text: the chosen labels, then the words. */
export function messageOf({ labels, text }: AnswerView): string {
  return [...labels, text].filter(Boolean).join('\n')
}

/** `other` is there only if something was written. */
export function otherOf({ text }: AnswerView): { other?: string } {
  return text ? { other: text } : {}
}

export function choiceResult(answer: AnswerView, question: QuestionView) {
  const [choice] = answer.labels
  const index = question.options.findIndex(({ label }) => label === choice)
  return { message: messageOf(answer), ...(index >= 0 ? { choice, index } : {}), ...otherOf(answer) }
}
