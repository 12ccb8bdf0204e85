/** The part of the codec that is about tools and calls of them. */
import { create, toBinary, type MessageInitShape } from '@bufbuild/protobuf'

import { ErrorCode } from '../proto/lineup/v1/error_pb'
import {
  CallPhase as WirePhase,
  ToolType,
  type ActionDefinitionSchema,
  type ToolCallUpdate,
  type ToolDefinitionSchema,
} from '../proto/lineup/v1/tool_pb'
import { WebsocketMessageSchema, type WebsocketMessage } from '../proto/lineup/v1/websocket_pb'
import { codeName, contentOf } from './contentCodec'
import type { RelayEvent } from './events'
import type { ActionDefinition, ApplicationDefinition, CallPhase, CallUpdate, ToolDefinition } from './tools'

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

const TYPES = { app: ToolType.APP, toolset: ToolType.TOOLSET, action: ToolType.ACTION }

export const TOOL_DECODERS: Readonly<Record<string, (message: WebsocketMessage) => RelayEvent | null>> = {
  ToolList: () => ({ type: 'announce' }),
  ToolsRefused: ({ toolsRefused }) => ({
    type: 'refusedTools',
    tools: (toolsRefused?.tools ?? []).map(({ name, applicationId, message }) => ({ name, applicationId, message })),
  }),
  ToolCall: ({ toolCall: call, seq }) =>
    call
      ? {
          type: 'call',
          seq: Number(seq),
          call: {
            callId: call.callId,
            name: call.name,
            action: call.action,
            argumentsJson: call.argumentsJson,
            applicationId: call.applicationId,
            agentId: call.agentId,
            timeoutMs: Number(call.timeoutMs),
            atMs: 0,
          },
        }
      : null,
  ToolCallUpdate: ({ toolCallUpdate: update, seq, Nickname: by }) => {
    const phase = update && NAMES.get(update.phase)
    return phase ? { type: 'callUpdate', seq: Number(seq), update: callUpdate(update, phase), by, atMs: 0 } : null
  },
}

function callUpdate(update: ToolCallUpdate, phase: CallPhase): CallUpdate {
  const { callId, progress, total, message, resultJson, code, instanceId } = update
  // Pictures of a result are for the agent.
  return { callId, phase, progress, total, message, resultJson, contents: [], code: codeName(code), instanceId }
}

function encode(message: MessageInitShape<typeof WebsocketMessageSchema>): Uint8Array {
  return toBinary(WebsocketMessageSchema, create(WebsocketMessageSchema, message))
}

/** Everything that this page offers. */
export function encodeToolList(
  tools: readonly ToolDefinition[],
  applications: readonly ApplicationDefinition[],
): (ref: string) => Uint8Array {
  const toolList = {
    tools: tools.map(toolMessage),
    applications: applications.map((one) => ({ ...one, tools: one.tools.map(toolMessage) })),
  }
  return (ref) => encode({ Cmd: 'ToolList', ref, toolList })
}

function toolMessage(tool: ToolDefinition): MessageInitShape<typeof ToolDefinitionSchema> {
  const { name, description, version, interactive = false } = tool
  const common = { name, description, version, interactive, type: TYPES[tool.type] }
  if (tool.type !== 'action') return { ...common, actions: tool.actions.map(actionMessage) }
  return { ...common, inputSchemaJson: jsonOf(tool.inputSchema), resultSchemaJson: jsonOf(tool.resultSchema) }
}

function actionMessage(action: ActionDefinition): MessageInitShape<typeof ActionDefinitionSchema> {
  const { name, description, hints = {}, interactive = false } = action
  const { read_only: readOnly = false, destructive = false, idempotent = false } = hints
  return {
    ...{ name, description, interactive, hints: { readOnly, destructive, idempotent } },
    inputSchemaJson: jsonOf(action.inputSchema),
    resultSchemaJson: jsonOf(action.resultSchema),
  }
}

function jsonOf(schema: object | undefined): string {
  return schema ? JSON.stringify(schema) : ''
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
