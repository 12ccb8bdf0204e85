/** What somebody has typed and chosen on a card and not sent yet, and the reply made from it. */
import type { AnswerView, QuestionView, ReplyAction, RequestFacts } from './view'

export interface QuestionDraft {
  readonly labels: readonly string[]
  /** "Other" is chosen. */
  readonly other: boolean
  readonly text: string
}

export interface Draft {
  readonly questions: readonly QuestionDraft[]
  /** The edited command of an approval. */
  readonly input?: string
}

const EMPTY_QUESTION: QuestionDraft = { labels: [], other: false, text: '' }

export const EMPTY_DRAFT: Draft = { questions: [] }

export function questionDraft(draft: Draft, index: number): QuestionDraft {
  return draft.questions[index] ?? EMPTY_QUESTION
}

/** Chooses an option, or takes it back where several may be chosen. */
export function toggleLabel(
  draft: Draft,
  index: number,
  question: QuestionView,
  label: string,
): Draft {
  const before = questionDraft(draft, index)
  if (!question.multiple) return change(draft, index, { labels: [label], other: false })
  const chosen = new Set(before.labels)
  if (!chosen.delete(label)) chosen.add(label)
  const inOrder = question.options.map((option) => option.label).filter((name) => chosen.has(name))
  return change(draft, index, { labels: inOrder })
}

export function toggleOther(draft: Draft, index: number, question: QuestionView): Draft {
  const before = questionDraft(draft, index)
  if (!question.multiple) return change(draft, index, { labels: [], other: true })
  return change(draft, index, { other: !before.other })
}

/** Line breaks become \n: Windows and clipboards disagree, the agent should not notice. */
export function writeText(draft: Draft, index: number, text: string): Draft {
  return change(draft, index, { text: text.replace(/\r\n?/g, '\n') })
}

export function clearLabels(draft: Draft, index: number): Draft {
  return change(draft, index, { labels: [], other: false })
}

function change(draft: Draft, index: number, part: Partial<QuestionDraft>): Draft {
  const length = Math.max(draft.questions.length, index + 1)
  const questions = Array.from({ length }, (_, at) => questionDraft(draft, at))
  questions[index] = { ...questionDraft(draft, index), ...part }
  return { ...draft, questions }
}

export function isEmptyDraft(draft: Draft): boolean {
  if (draft.input !== undefined) return false
  return draft.questions.every(({ labels, other, text }) => labels.length === 0 && !other && !text.trim())
}

/** The draft that an answer was made from, to correct it. */
export function draftOf(request: RequestFacts, answers: readonly AnswerView[]): Draft {
  const count = Math.max(1, request.questions.length)
  const questions = Array.from({ length: count }, (_, index) => {
    const { labels = [], text = '' } = answers.find((answer) => answer.index === index) ?? {}
    const hasOptions = (request.questions[index]?.options.length ?? 0) > 0
    return { labels, text, other: count > 1 && hasOptions && text !== '' }
  })
  return { questions }
}

/** Everything typed, for Copy. */
export function draftText(draft: Draft): string {
  const answers = draft.questions.map((question) =>
    [...question.labels, question.text.trim()].filter(Boolean).join('\n'),
  )
  return [draft.input ?? '', ...answers]
    .filter(Boolean)
    .join('\n')
}

/** In a form the words count only where their field is open. */
function answerOf(question: QuestionView | undefined, draft: QuestionDraft, isForm: boolean, isExact = false) {
  if (isExact) return { labels: draft.labels, text: draft.text }
  const hasField = !isForm || !question?.custom || question.options.length === 0 || draft.other
  return { labels: draft.labels, text: hasField ? draft.text.trim() : '' }
}

export function isAnswered(question: QuestionView, draft: QuestionDraft, isForm: boolean): boolean {
  const { labels, text } = answerOf(question, draft, isForm)
  // "Other" was taken and not said yet.
  if (isForm && draft.other && !text) return false
  return labels.length > 0 || text !== ''
}

/** Indices of the questions without an answer. */
export function gapsOf(request: RequestFacts, draft: Draft): number[] {
  const isForm = request.questions.length > 1
  return request.questions.flatMap((question, index) =>
    isAnswered(question, questionDraft(draft, index), isForm) ? [] : [index],
  )
}

export interface ReplyContent {
  readonly action: ReplyAction
  readonly answers: readonly AnswerView[]
  readonly text: string
  /** The edited input of an approval; "" as asked. */
  readonly inputJson: string
}

/**
 * The reply of a card: answers by question, and the readable text that older clients understand.
 * One question: the chosen labels, then the words. Several: "Q: …\nA: …" for each.
 */
export function replyOf(request: RequestFacts, draft: Draft, action: ReplyAction): ReplyContent {
  if (action === 'decline') return { action, answers: [], text: '', inputJson: '' }
  const isForm = request.questions.length > 1
  const count = Math.max(request.questions.length, 1)
  const answers = Array.from({ length: count }, (_, index) => ({
    index,
    // A password may begin with a blank.
    ...answerOf(request.questions[index], questionDraft(draft, index), isForm, request.asked?.field === 'secret'),
  })).filter(({ labels, text }) => labels.length > 0 || text)
  const text = isForm
    ? request.questions.map((question, index) => qAndA(question, answers, index)).join('\n\n')
    : answers.map(plainText).join('\n')
  return { action, answers, text, inputJson: '' }
}

function plainText({ labels, text }: AnswerView): string {
  return [...labels, text].filter(Boolean).join('\n')
}

function qAndA(question: QuestionView, answers: readonly AnswerView[], index: number): string {
  const answer = answers.find((candidate) => candidate.index === index)
  const words = answer ? [...answer.labels, answer.text].filter(Boolean).join(', ') : '(not answered)'
  return `Q: ${question.text}\nA: ${words}`
}

/** The readable text of a plain confirmation, for an agent that expects some content. */
export const CONFIRMED = 'Confirmed'

/** A report is confirmed, with whatever was typed beside it. */
export function confirmationOf(request: RequestFacts, draft: Draft): ReplyContent {
  const reply = replyOf(request, draft, 'answer')
  return { ...reply, text: [CONFIRMED, reply.text].filter(Boolean).join('\n') }
}
