/** Calls that a human answers: each is shown as a question, and its answer is the result of the call. */
import { agentFacts } from '../protocol/agent'
import type { OutgoingAttachment } from '../protocol/attachments'
import type { ReplyContent } from '../protocol/draft'
import type { RoomEvent } from '../protocol/events'
import type { OutboxEntry } from '../protocol/outbox'
import { anUpdateOf, argumentsOf, type CallFacts, type CallUpdate } from '../protocol/tools'
import type { AgentFacts, AnswerView, AskedView, QuestionView, RequestFacts } from '../protocol/view'
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

/** The question of a call, heard at `nowMs` (relay clock); null if a device answers it and no human. */
export function requestOf(call: CallFacts, agent: AgentFacts | undefined, words: AskedWords, nowMs: number): RequestFacts | null {
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
    // What is left is counted from when it was said, not from when it was asked.
    timeoutSeconds: Math.ceil((nowMs + call.timeoutMs - call.atMs) / 1000),
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

const PHASES = { succeeded: 'answered', taken: 'answered', cancelled: 'cancelled', expired: 'expired' } as const

/** What an update of a call says about the question that it is, if it is one. */
export function stateOf(event: Extract<RoomEvent, { type: 'callUpdate' }>): RoomEvent {
  const { callId, phase, code, message } = event.update
  const isDeclined = phase === 'failed' && code === 'declined'
  const end = isDeclined ? 'declined' : phase === 'failed' ? 'cancelled' : null
  return {
    type: 'state',
    seq: event.seq,
    update: {
      ...{ requestId: callId, reason: code, by: event.by, message, changedMs: event.atMs },
      phase: end ?? (PHASES as Readonly<Partial<Record<string, (typeof PHASES)[keyof typeof PHASES]>>>)[phase] ?? null,
      ...{ deadlineMs: 0, late: false, received: false, agentGone: false },
    },
  }
}
