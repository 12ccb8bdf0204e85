import { CONFIRMED } from './draft'
import { plainLine } from './plainText'
import type { ReplyFacts, RequestFacts, RequestView } from './view'

const LONG_TEXT = 700
const SHEET_QUESTIONS = 3
const SHEET_OPTIONS = 4

/** The first line for lists, notifications and announcements. */
export function headlineOf(request: RequestFacts): string {
  const [first] = request.questions
  const text = request.questions.length > 1 || !first ? request.text : first.text
  return plainLine(text).slice(0, 200) || plainLine(first?.text ?? '')
}

/** Code, tables or a lot of text: the card gets more room. */
export function isLong(request: RequestFacts): boolean {
  const text = request.questions.map((question) => question.text).join('\n') || request.text
  return text.length > LONG_TEXT || /^(?:```|~~~|\|.*\|)/m.test(text)
}

/** Several questions of which a phone's sheet would show only the first. */
export function isLongForm({ questions }: RequestFacts): boolean {
  const isTall = questions.some(({ options }) => options.length > SHEET_OPTIONS || options.some(({ description }) => description))
  return questions.length > SHEET_QUESTIONS || (questions.length > 1 && isTall)
}

export function isForm(request: RequestFacts): boolean {
  return request.questions.length > 1
}

/** A report that was confirmed, perhaps with a word beside it. */
export function isConfirmation(request: RequestView, reply: ReplyFacts): boolean {
  return (
    isPlainConfirmation(request, reply) ||
    (request.kind === 'report' && reply.text.startsWith(`${CONFIRMED}\n`))
  )
}

/** A report that was confirmed without a word. */
export function isPlainConfirmation(request: RequestView, reply: ReplyFacts): boolean {
  return (
    request.kind === 'report' &&
    reply.pictures.length === 0 &&
    reply.answers.every(({ labels, text }) => labels.length === 0 && !text) &&
    (reply.text === '' || reply.text === CONFIRMED)
  )
}
