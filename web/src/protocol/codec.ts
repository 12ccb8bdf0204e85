/**
 * Bytes ↔ plain values. The only module that touches the generated code: protobuf messages,
 * bigint and byte arrays end here.
 */
import { create, fromBinary, toBinary, type MessageInitShape } from '@bufbuild/protobuf'

import {
  McpWorkReportRequestSchema,
  type AskQuestionRequest,
  type AskQuestionResponse,
  type WorkReportRequest,
  type WorkReportResponse,
} from '../proto/lineup/v1/agent_assist_pb'
import type { McpResultContent } from '../proto/lineup/v1/content_pb'
import { OnTimeout, RequestKind, RequestState } from '../proto/lineup/v1/request_pb'
import type { Approval, RequestStateUpdate } from '../proto/lineup/v1/request_pb'
import { WebsocketMessageSchema, type WebsocketMessage } from '../proto/lineup/v1/websocket_pb'
import { agentFacts } from './agent'
import { DEFAULT_LIMITS, type OutgoingAttachment } from './attachments'
import { CARD_DECODERS } from './cardCodec'
import { codeName, contentOf, filesOf, picturesOf } from './contentCodec'
import { isRoomEvent, type HistoryFacts, type RelayEvent } from './events'
import { PEOPLE_DECODERS } from './peopleCodec'
import { TOOL_DECODERS } from './toolCodec'
import type {
  ApprovalView,
  ReplyAction,
  ReplyFacts,
  RequestFacts,
  RequestPhase,
  StateUpdate,
} from './view'

const PHASES: Readonly<Record<RequestState, RequestPhase | null>> = {
  [RequestState.UNSPECIFIED]: null,
  [RequestState.PENDING]: 'pending',
  [RequestState.ANSWERED]: 'answered',
  [RequestState.DECLINED]: 'declined',
  [RequestState.EXPIRED]: 'expired',
  [RequestState.CANCELLED]: 'cancelled',
}

const ACTIONS: ReadonlySet<string> = new Set(['answer', 'decline', 'done', 'correct'])

type Decoder = (message: WebsocketMessage) => RelayEvent | null

const DECODERS: Readonly<Record<string, Decoder>> = {
  ...CARD_DECODERS,
  ...TOOL_DECODERS,
  UserLogin: ({ UserLoginResponse: login }) =>
    login
      ? {
          type: 'login',
          success: login.success,
          clientId: login.clientId,
          error: login.errorMessage,
        }
      : null,
  ServerInfo: ({ serverInfo: info }) =>
    info
      ? {
          type: 'server',
          version: info.version,
          protocol: info.protocol,
          clockMs: Number(info.clockUnixMs),
          lastSeq: Number(info.lastSeq),
          logId: info.logId,
          limits: {
            messageBytes: Number(info.limits.message_bytes ?? 0) || DEFAULT_LIMITS.messageBytes,
            contentsPerMessage: Number(info.limits.contents_per_message ?? 0) || DEFAULT_LIMITS.contentsPerMessage,
          },
        }
      : null,
  AskQuestion: ({ AskQuestionRequest: request, seq }) =>
    request ? { type: 'request', seq: Number(seq), request: questionFacts(request) } : null,
  WorkReport: ({ WorkReportRequest: request, seq }) =>
    request ? { type: 'request', seq: Number(seq), request: reportFacts(request) } : null,
  AskQuestionReplyNotification: (message) => {
    const { AskQuestionRequest: request, AskQuestionResponse: response } = message
    if (!request || !response) return null
    return replyEvent(message, questionFacts(request), response)
  },
  WorkReportReplyNotification: (message) => {
    const { WorkReportRequest: request, WorkReportResponse: response } = message
    if (!request || !response) return null
    return replyEvent(message, reportFacts(request), response)
  },
  RequestState: ({ requestState: update, seq }) =>
    update ? { type: 'state', seq: Number(seq), update: stateUpdate(update) } : null,
  Ack: ({ ack, seq }) =>
    ack
      ? {
          type: 'ack',
          ref: ack.ref,
          accepted: ack.accepted,
          code: codeName(ack.code),
          message: ack.message,
          seq: Number(seq),
        }
      : null,
  GetHistory: ({ historyPage: page, ref }) => (page ? historyFacts(page, ref) : null),
  GetOnlineUsers: ({ GetOnlineUsersResponse: response }) =>
    response
      ? {
          type: 'online',
          users: response.onlineUsers.map(({ clientId, nickname }) => ({ clientId, nickname })),
        }
      : null,
  UserConnectionStatusNotification: ({ UserConnectionStatusNotification: note }) =>
    note?.user
      ? {
          type: 'presence',
          user: { clientId: note.user.clientId, nickname: note.user.nickname },
          connected: note.status !== 'disconnected',
        }
      : null,
  ...PEOPLE_DECODERS,
}

/** Decodes one frame. What it does not understand becomes `unknown`; it never throws. */
export function decode(bytes: Uint8Array): RelayEvent {
  try {
    return toEvent(fromBinary(WebsocketMessageSchema, bytes))
  } catch {
    return { type: 'unknown', command: '' }
  }
}

function toEvent(message: WebsocketMessage): RelayEvent {
  const decoder = Object.hasOwn(DECODERS, message.Cmd) ? DECODERS[message.Cmd] : undefined
  return decoder?.(message) ?? { type: 'unknown', command: message.Cmd }
}

function historyFacts(page: NonNullable<WebsocketMessage['historyPage']>, ref: string): HistoryFacts {
  const seqs = page.messages.map((message) => Number(message.seq)).filter((seq) => seq > 0)
  return {
    type: 'history',
    ref,
    events: page.messages.map(toEvent).filter(isRoomEvent),
    newestSeq: seqs.length > 0 ? Math.max(...seqs) : 0,
    oldestSeq: seqs.length > 0 ? Math.min(...seqs) : 0,
    floorSeq: Number(page.floorSeq),
    lastSeq: Number(page.lastSeq),
    more: page.more,
    reset: page.reset,
  }
}

function questionFacts(message: AskQuestionRequest): RequestFacts {
  const request = message.Request
  const questions = (request?.Questions ?? []).map((question) => ({
    text: question.question,
    header: question.header,
    options: question.options.map(({ label, description }) => ({ label, description })),
    multiple: question.multiple,
    custom: question.custom,
  }))
  const text = request?.Question ?? ''
  const plain = { text, header: '', options: [], multiple: false, custom: true }
  return {
    ...commonFacts(message),
    kind: request?.kind === RequestKind.APPROVAL ? 'approval' : 'question',
    questions: questions.length > 0 ? questions : [plain],
    text,
    approval: request?.approval ? approvalView(request.approval) : null,
  }
}

function approvalView(approval: Approval): ApprovalView {
  const { tool, command, cwd, description, inputJson, canAllowSession, canEdit } = approval
  return { tool, command, cwd, description, inputJson, canAllowSession, canEdit }
}

function reportFacts(message: WorkReportRequest): RequestFacts {
  const text = message.Request?.Summary ?? ''
  return { ...commonFacts(message), kind: 'report', questions: [], text, approval: null }
}

function commonFacts(message: AskQuestionRequest | WorkReportRequest) {
  const request = message.Request ?? create(McpWorkReportRequestSchema)
  return {
    id: message.ID,
    agent: agentFacts({
      id: request.agentId,
      name: request.AgentName,
      client: request.McpClientName,
      directory: request.ProjectDirectory,
      model: request.ReasoningModelName,
      machine: request.machine,
      machineName: request.machineName,
    }),
    asked: null,
    pictures: picturesOf(request.contents),
    createdMs: Number(message.Timestamp),
    timeoutSeconds: request.Timeout,
    abortsOnTimeout: request.onTimeout === OnTimeout.ABORT,
  }
}

function textOf(contents: readonly McpResultContent[]): string {
  return contents
    .map((content) => content.text?.text ?? '')
    .filter(Boolean)
    .join('\n\n')
}

function replyEvent(
  message: WebsocketMessage,
  request: RequestFacts,
  response: AskQuestionResponse | WorkReportResponse,
): RelayEvent {
  return {
    type: 'reply',
    seq: Number(message.seq),
    request,
    reply: replyFacts(response, message.Nickname),
  }
}

function replyFacts(response: AskQuestionResponse | WorkReportResponse, by: string): ReplyFacts {
  const action = response.Meta.action ?? ''
  return {
    action: ACTIONS.has(action) ? (action as ReplyAction) : 'answer',
    answers: response.answers.map(({ index, labels, text }) => ({ index, labels, text })),
    text: textOf(response.contents),
    pictures: picturesOf(response.contents),
    files: filesOf(response.contents),
    by,
    mine: false,
    atMs: Number(response.Meta.replied_unix_ms ?? 0) || 0,
  }
}

function stateUpdate(update: RequestStateUpdate): StateUpdate {
  return {
    requestId: update.requestId,
    phase: (PHASES as Record<number, RequestPhase | null>)[update.state] ?? null,
    reason: codeName(update.reason),
    by: update.byNickname,
    deadlineMs: Number(update.deadlineUnixMs),
    late: update.late,
    received: update.received,
    agentGone: update.agentGone,
    message: update.message,
    changedMs: Number(update.changedUnixMs),
  }
}

// ---- outgoing ---------------------------------------------------------------

function encode(message: MessageInitShape<typeof WebsocketMessageSchema>): Uint8Array {
  return toBinary(WebsocketMessageSchema, create(WebsocketMessageSchema, message))
}

export interface ClientFacts {
  readonly deviceId: string
  readonly tabId: string
  readonly version: string
  readonly locale: string
  readonly visible: boolean
}

function clientInfo(client: ClientFacts) {
  return { ...client, platform: 'web', capabilities: [] }
}

export function encodeLogin(token: string, nickname: string, client: ClientFacts): Uint8Array {
  return encode({
    Cmd: 'UserLogin',
    StrParam: token,
    Nickname: nickname,
    clientInfo: clientInfo(client),
  })
}

export function encodeClientInfo(client: ClientFacts): Uint8Array {
  return encode({ Cmd: 'ClientInfo', clientInfo: clientInfo(client) })
}

export function encodePing(ref: string): Uint8Array {
  return encode({ Cmd: 'Ping', ref })
}

export function encodeGetOnlineUsers(): Uint8Array {
  return encode({ Cmd: 'GetOnlineUsers', GetOnlineUsersRequest: {} })
}

/** Asks for the log after or before a number; give exactly one of the two. */
export function encodeGetHistory(range: {
  afterSeq?: number
  beforeSeq?: number
  limit: number
  ref: string
}): Uint8Array {
  return encode({
    Cmd: 'GetHistory',
    ref: range.ref,
    getHistory: {
      afterSeq: BigInt(range.afterSeq ?? 0),
      beforeSeq: BigInt(range.beforeSeq ?? 0),
      limit: range.limit,
    },
  })
}

/** What a reply message is made from. */
export interface OutgoingReply {
  readonly ref: string
  readonly requestId: string
  readonly agentId: string
  readonly isReport: boolean
  readonly action: ReplyAction
  readonly text: string
  readonly answers: readonly AnswerInit[]
  /** The edited input of an approval; "" as asked. */
  readonly inputJson: string
  readonly attachments: readonly OutgoingAttachment[]
}

interface AnswerInit {
  readonly index: number
  readonly labels: readonly string[]
  readonly text: string
}

export function encodeReply(reply: OutgoingReply): Uint8Array {
  const request = { ID: reply.requestId, Request: { agentId: reply.agentId } }
  const response = {
    ID: reply.requestId,
    Meta: { action: reply.action, ...(reply.inputJson ? { input_json: reply.inputJson } : {}) },
    contents: [
      ...(reply.text ? [{ type: 1, text: { type: 'text', text: reply.text } }] : []),
      ...reply.attachments.map(contentOf),
    ],
    answers: reply.answers.map(({ index, labels, text }) => ({ index, labels: [...labels], text })),
  }
  return reply.isReport
    ? encode({
        Cmd: 'WorkReportReply',
        ref: reply.ref,
        WorkReportRequest: request,
        WorkReportResponse: response,
      })
    : encode({
        Cmd: 'AskQuestionReply',
        ref: reply.ref,
        AskQuestionRequest: request,
        AskQuestionResponse: response,
      })
}
