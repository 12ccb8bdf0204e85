/** Calls that a human answers: each is shown as a question, and its answer is the result of the call. */
import { agentFacts } from '../protocol/agent'
import type { OutgoingAttachment } from '../protocol/attachments'
import type { ReplyContent } from '../protocol/draft'
import type { RoomEvent } from '../protocol/events'
import type { OutboxEntry } from '../protocol/outbox'
import { anUpdateOf, argumentsOf, type CallFacts, type CallUpdate } from '../protocol/tools'
import type { AgentFacts, AnswerView, AskedView, QuestionView, ReplyFacts, RequestFacts } from '../protocol/view'
import { choiceQuestion, choiceResult } from './choice/actions'
import { confirmQuestion, confirmResult } from './confirm/actions'
import { inputQuestion, inputResult } from './input/actions'
import { multiChoiceQuestion, multiChoiceResult } from './multi_choice/actions'

/** Words of the reader's language that the agent did not give. */
export interface AskedWords {
  readonly yes: string
  readonly no: string
}

export interface AskedCard {
  readonly question: QuestionView
  readonly asked: AskedView
}

type CallUpdateEvent = Extract<RoomEvent, { type: 'callUpdate' }>

interface AskedTool {
  /** Null if the arguments make no question. */
  readonly card: (args: Readonly<Record<string, unknown>>, words: AskedWords) => AskedCard | null
  readonly result: (answer: AnswerView, question: QuestionView) => Readonly<Record<string, unknown>>
}

const TOOLS: Readonly<Record<AskedView['tool'], AskedTool>> = {
  choice: { card: choiceQuestion, result: choiceResult },
  multi_choice: { card: multiChoiceQuestion, result: multiChoiceResult },
  confirm: { card: confirmQuestion, result: confirmResult },
  input: { card: inputQuestion, result: inputResult },
}

const NO_ANSWER: AnswerView = { index: 0, labels: [], text: '' }

/** The question of a call; null if a device answers it and no human. */
export function requestOf(call: CallFacts, agent: AgentFacts | undefined, words: AskedWords): RequestFacts | null {
  if (call.applicationId || !Object.hasOwn(TOOLS, call.name)) return null
  const args = argumentsOf(call.argumentsJson)
  const card = args && TOOLS[call.name as AskedView['tool']].card(args, words)
  if (!card) return null
  return {
    id: call.callId,
    kind: 'question',
    agent: agent ?? agentFacts({ id: call.agentId, name: '', client: '', directory: '', model: '', machine: '', machineName: '' }),
    questions: [card.question],
    text: card.question.text,
    pictures: [],
    approval: null,
    asked: card.asked,
    createdMs: call.atMs,
    timeoutSeconds: call.timeoutMs / 1000,
    abortsOnTimeout: false,
  }
}

/** The result of a call, made from its answer; "" if nobody asked. */
export function resultJsonOf(request: RequestFacts, content: ReplyContent): string {
  const [question] = request.questions
  if (!request.asked || !question || content.action === 'decline') return ''
  return JSON.stringify(TOOLS[request.asked.tool].result(content.answers[0] ?? NO_ANSWER, question))
}

/** What goes to the relay for an answer. */
export function outcomeOf(entry: OutboxEntry, contents: readonly OutgoingAttachment[]): CallUpdate {
  if (entry.action !== 'decline') return anUpdateOf(entry.requestId, 'succeeded', { resultJson: entry.resultJson, contents })
  return anUpdateOf(entry.requestId, 'failed', { code: 'declined', message: 'The human chose not to answer.' })
}

/** What a human answered, from its result; nothing of a secret. */
function answersIn(resultJson: string): AnswerView[] {
  const result = argumentsOf(resultJson) ?? {}
  const { message, choices, other } = result
  if (typeof message !== 'string' || !message) return []
  if (!['choice', 'choices', 'confirmed'].some((name) => name in result)) return [{ index: 0, labels: [], text: message }]
  const text = typeof other === 'string' ? other : ''
  const chosen = text === message ? '' : message.slice(0, text ? -text.length - 1 : undefined)
  const labels = Array.isArray(choices) ? choices.filter((label) => typeof label === 'string') : [chosen].filter(Boolean)
  return [{ index: 0, labels, text }]
}

function replyIn({ update, by, atMs }: CallUpdateEvent): ReplyFacts | null {
  if (update.phase !== 'succeeded') return null
  const { pictures, files } = update
  const answers = answersIn(update.resultJson)
  const text = answers.flatMap((answer) => [...answer.labels, answer.text]).filter(Boolean).join('\n')
  return { action: 'answer', answers, text, pictures, files, by, mine: false, atMs }
}

const PHASES = { succeeded: 'answered', taken: 'answered', cancelled: 'cancelled', expired: 'expired' } as const

/** What an update of a call says about the question that it is, if it is one. */
export function stateOf(event: CallUpdateEvent): RoomEvent {
  const { callId, phase, code, message, received } = event.update
  const isDeclined = phase === 'failed' && code === 'declined'
  const end = isDeclined ? 'declined' : phase === 'failed' ? 'cancelled' : null
  return {
    type: 'state',
    // Who has it is told ahead of the end, which has the same number and says what the answer is.
    seq: phase === 'taken' ? 0 : event.seq,
    update: {
      ...{ requestId: callId, reason: code, by: event.by, message, changedMs: event.atMs },
      phase: end ?? (PHASES as Readonly<Partial<Record<string, (typeof PHASES)[keyof typeof PHASES]>>>)[phase] ?? null,
      ...{ deadlineMs: 0, late: false, received, agentGone: false, reply: received ? null : replyIn(event) },
    },
  }
}
