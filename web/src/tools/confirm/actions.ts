import type { AnswerView, QuestionView } from '../../protocol/view'
import type { AskedCard, AskedWords } from '../asked'
import { messageOf, optionsQuestion, otherOf } from '../choice/actions'

function wordsOr(value: unknown, usual: string): string {
  return typeof value === 'string' && value.trim() ? value.trim() : usual
}

/** Yes and no with the agent's words for them; null if it gave the same words to both. */
export function confirmQuestion(args: Readonly<Record<string, unknown>>, words: AskedWords): AskedCard | null {
  const [yes, no] = [wordsOr(args.yes, words.yes), wordsOr(args.no, words.no)]
  const question = optionsQuestion({ question: args.question, options: [yes, no] }, false)
  if (question?.options.length !== 2) return null
  return { question, asked: { tool: 'confirm', field: 'lines', placeholder: '' } }
}

/** Only the first option confirms, whatever it is called. */
export function confirmResult(answer: AnswerView, question: QuestionView) {
  const confirmed = answer.labels[0] !== undefined && answer.labels[0] === question.options[0]?.label
  return { message: messageOf(answer), confirmed, ...otherOf(answer) }
}
