/** The part of the codec that is about calls of tools. */
import { create, toBinary, type MessageInitShape } from '@bufbuild/protobuf'

import { ErrorCode } from '../proto/lineup/v1/error_pb'
import { CallPhase as WirePhase, type ToolCall, type ToolCallUpdate } from '../proto/lineup/v1/tool_pb'
import { WebsocketMessageSchema, type WebsocketMessage } from '../proto/lineup/v1/websocket_pb'
import { codeName, contentOf, filesOf, picturesOf } from './contentCodec'
import type { RelayEvent } from './events'
import type { CallFacts, CallPhase, CallUpdate } from './tools'

const PHASES: Readonly<Record<CallPhase, WirePhase>> = {
  accepted: WirePhase.ACCEPTED,
  starting: WirePhase.STARTING,
  started: WirePhase.STARTED,
  progress: WirePhase.PROGRESS,
  succeeded: WirePhase.SUCCEEDED,
  failed: WirePhase.FAILED,
  cancelled: WirePhase.CANCELLED,
  taken: WirePhase.TAKEN,
  expired: WirePhase.EXPIRED,
}

const NAMES: ReadonlyMap<WirePhase, CallPhase> = new Map(
  Object.entries(PHASES).map(([name, phase]) => [phase, name as CallPhase]),
)

export const TOOL_DECODERS: Readonly<Record<string, (message: WebsocketMessage) => RelayEvent | null>> = {
  ToolList: () => ({ type: 'announce' }),
  ToolsRefused: ({ toolsRefused }) => ({
    type: 'refusedTools',
    tools: (toolsRefused?.tools ?? []).map(({ name, applicationId, message }) => ({ name, applicationId, message })),
  }),
  ToolCall: ({ toolCall: call, seq }) => (call ? { type: 'call', seq: Number(seq), call: callFacts(call) } : null),
  ToolCallUpdate: ({ toolCallUpdate: update, toolCall: call, seq, Nickname: by }) => {
    const phase = update && NAMES.get(update.phase)
    if (!phase) return null
    const told = { seq: Number(seq), update: callUpdate(update, phase), by, atMs: Number(update.changedUnixMs) }
    return { type: 'callUpdate', ...told, ...(call ? { call: callFacts(call) } : {}) }
  },
}

function callFacts(call: ToolCall): CallFacts {
  return {
    callId: call.callId,
    name: call.name,
    action: call.action,
    argumentsJson: call.argumentsJson,
    applicationId: call.applicationId,
    agentId: call.agentId,
    timeoutMs: Number(call.deadlineUnixMs - call.openedUnixMs),
    atMs: Number(call.openedUnixMs),
  }
}

function callUpdate(update: ToolCallUpdate, phase: CallPhase): CallUpdate {
  const { callId, progress, total, message, resultJson, contents, code, instanceId, received } = update
  return {
    ...{ callId, phase, progress, total, message, resultJson, contents: [], code: codeName(code), instanceId, received },
    ...{ pictures: picturesOf(contents), files: filesOf(contents) },
  }
}

function encode(message: MessageInitShape<typeof WebsocketMessageSchema>): Uint8Array {
  return toBinary(WebsocketMessageSchema, create(WebsocketMessageSchema, message))
}

/** "not_supported" → NOT_SUPPORTED. */
function codeOf(name: string): ErrorCode {
  return (ErrorCode as unknown as Readonly<Record<string, ErrorCode | undefined>>)[name.toUpperCase()] ?? ErrorCode.UNSPECIFIED
}

/** An update of a call on its way to the relay. */
export interface OutgoingUpdate {
  readonly ref: string
  readonly update: CallUpdate
}

export function encodeCallUpdate({ ref, update }: OutgoingUpdate): Uint8Array {
  const { callId, progress, total, message, resultJson, instanceId } = update
  return encode({
    Cmd: 'ToolCallUpdate',
    ref,
    toolCallUpdate: {
      ...{ callId, progress, total, message, resultJson, instanceId },
      phase: PHASES[update.phase],
      code: codeOf(update.code),
      contents: update.contents.map(contentOf),
    },
  })
}
