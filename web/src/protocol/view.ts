/**
 * What the page knows and shows: plain values, no protobuf types, no bigint, no bytes.
 * The codec makes them from wire messages, the reducers keep them, components read them.
 */

export type RequestKind = 'question' | 'report' | 'approval'
export type RequestPhase = 'pending' | 'answered' | 'declined' | 'expired' | 'cancelled'
export type ReplyAction = 'answer' | 'decline' | 'done' | 'correct'

/** The agent behind a request. */
export interface AgentFacts {
  /** The bridge process. */
  readonly id: string
  /** Equal for all requests of one agent program in one project on one machine. */
  readonly key: string
  readonly name: string
  /** Its program, as it names itself: "claude-code". */
  readonly client: string
  readonly project: string
  readonly directory: string
  readonly model: string
  readonly machine: string
}

interface OptionView {
  readonly label: string
  readonly description: string
}

export interface QuestionView {
  readonly text: string
  readonly header: string
  readonly options: readonly OptionView[]
  readonly multiple: boolean
  /** The "Other" line is offered. */
  readonly custom: boolean
}

/** A picture that came with a question, an answer or a text; `src` is safe to put into an img. */
export interface PictureView {
  readonly src: string
  readonly mime: string
}

/** A recording or another file that came with a message. */
export interface FileView {
  readonly kind: 'audio' | 'file'
  readonly name: string
  readonly mime: string
  /** Safe to open: the relay's own file or a piece of this page's memory. */
  readonly src: string
}

export interface AnswerView {
  readonly index: number
  readonly labels: readonly string[]
  readonly text: string
}

/** A permission that an agent asks for. */
export interface ApprovalView {
  readonly tool: string
  /** What would run, verbatim; "" for a tool that runs no command. */
  readonly command: string
  readonly cwd: string
  /** The agent's words. */
  readonly description: string
  readonly inputJson: string
  readonly canAllowSession: boolean
  readonly canEdit: boolean
}

/** A tool call that a human answers: the answer is the result of the call. */
export interface AskedView {
  readonly tool: 'choice' | 'multi_choice' | 'confirm' | 'input'
  /** How words are typed: as everywhere, on one line, or hidden and kept nowhere. */
  readonly field: 'lines' | 'line' | 'secret'
  /** What the text box says while it is empty; "" for the usual words. */
  readonly placeholder: string
}

/** What never changes about a request. */
export interface RequestFacts {
  readonly id: string
  readonly kind: RequestKind
  readonly agent: AgentFacts
  /** One entry for a plain question, none for a report. */
  readonly questions: readonly QuestionView[]
  /** The report, or the question as one text. */
  readonly text: string
  readonly pictures: readonly PictureView[]
  /** Only for an approval. */
  readonly approval: ApprovalView | null
  /** Only for a tool call; its id is then the call's. */
  readonly asked: AskedView | null
  /** Unix ms by the relay's clock. */
  readonly createdMs: number
  readonly timeoutSeconds: number
  readonly abortsOnTimeout: boolean
}

export interface ReplyFacts {
  readonly action: ReplyAction
  readonly answers: readonly AnswerView[]
  readonly text: string
  readonly pictures: readonly PictureView[]
  readonly files: readonly FileView[]
  /** Nickname of the device that replied. */
  readonly by: string
  /** This page sent it. */
  readonly mine: boolean
  /** Unix ms by the relay's clock; 0 if unknown. */
  readonly atMs: number
}

export interface RequestView extends RequestFacts {
  readonly phase: RequestPhase
  /** The newest log number known for it; 0 while it was only shown, not logged. */
  readonly seq: number
  readonly deadlineMs: number
  /** Nickname of the device that last gave more time; "" if none did. */
  readonly extendedBy: string
  readonly reply: ReplyFacts | null
  /** An answer came after the end and is kept for the agent. */
  readonly late: boolean
  /** The agent has the answer. */
  readonly received: boolean
  readonly agentGone: boolean
  /** When `phase` or the deadline last changed; 0 if unknown. */
  readonly changedMs: number
  /** Nickname of the device that ended it. */
  readonly endedBy: string
  readonly reason: ErrorCodeName
  /** The agent's words for a withdrawal. */
  readonly message: string
}

/** The lower-case names of the wire's error codes. */
export type ErrorCodeName = string

export interface StateUpdate {
  readonly requestId: string
  readonly phase: RequestPhase | null
  readonly reason: ErrorCodeName
  readonly by: string
  readonly deadlineMs: number
  readonly late: boolean
  readonly received: boolean
  readonly agentGone: boolean
  readonly message: string
  readonly changedMs: number
  /** What a human answered to a call, which ends without a message of its own for that. */
  readonly reply?: ReplyFacts | null
}

/** Words between humans and agents, as one message of the relay has them. */
export interface TextFacts {
  readonly id: string
  /** "" in a message that only says that the agent has it, and where something is attached without words. */
  readonly content: string
  readonly pictures: readonly PictureView[]
  readonly files: readonly FileView[]
  /** Whom it is for or from; "": for all. */
  readonly agentId: string
  readonly from: string
  readonly sentMs: number
  readonly received: boolean
  /** When the agent took it; 0 if unknown. */
  readonly receivedMs: number
}

export interface TextView extends TextFacts {
  /** A human wrote it: it was once not received. */
  readonly byHuman: boolean
}

/** A picture that an agent shows. */
export interface ShownPicture {
  readonly id: string
  readonly agentId: string
  /** None if it may not be shown here. */
  readonly picture: PictureView | null
  /** Where a picture is that is not the relay's own; "" otherwise. */
  readonly url: string
  readonly alt: string
  readonly caption: string
  /** The message has no time: when it was heard, or that of its neighbour in the log. */
  readonly atMs: number
}

export interface OnlineUserView {
  readonly clientId: string
  readonly nickname: string
}

/** An agent as the relay lists it. */
export interface AgentPresence {
  readonly id: string
  readonly agent: AgentFacts
  readonly attached: boolean
  readonly lastCallMs: number
  readonly leftMs: number
  /** Texts and answers that wait for its next call. */
  readonly messagesWaiting: number
}

/** A device as the relay lists it. */
export interface DeviceView {
  readonly deviceId: string
  /** Its connection; "" while it is away. */
  readonly clientId: string
  readonly nickname: string
  readonly online: boolean
  readonly lastSeenMs: number
}

/** A message of another device. */
export interface ChatFacts {
  readonly id: string
  readonly clientId: string
  readonly nickname: string
  readonly content: string
  readonly sentMs: number
}
