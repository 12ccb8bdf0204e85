import type { AnswerView } from '../../protocol/view'
import type { AskedCard } from '../asked'
import { messageOf, optionsQuestion, otherOf } from '../choice/actions'

export function multiChoiceQuestion(args: Readonly<Record<string, unknown>>): AskedCard | null {
  const question = optionsQuestion(args, true)
  return question && { question, asked: { tool: 'multi_choice', field: 'lines', placeholder: '' } }
}

export function multiChoiceResult(answer: AnswerView) {
  return { message: messageOf(answer), choices: answer.labels, ...otherOf(answer) }
}
