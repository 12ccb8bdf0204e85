/** What this page offers, as the wire has it. */
import { create, toBinary, type MessageInitShape } from '@bufbuild/protobuf'

import { ToolType, type ActionDefinitionSchema, type ToolDefinitionSchema } from '../proto/lineup/v1/tool_pb'
import { WebsocketMessageSchema } from '../proto/lineup/v1/websocket_pb'
import type { ActionDefinition, ApplicationDefinition, ToolDefinition } from './tools'

const TYPES = { app: ToolType.APP, toolset: ToolType.TOOLSET, action: ToolType.ACTION }

/** Everything that this page offers. */
export function encodeToolList(
  tools: readonly ToolDefinition[],
  applications: readonly ApplicationDefinition[],
): (ref: string) => Uint8Array {
  const toolList = {
    tools: tools.map(toolMessage),
    applications: applications.map((one) => ({ ...one, tools: one.tools.map(toolMessage) })),
  }
  return (ref) => toBinary(WebsocketMessageSchema, create(WebsocketMessageSchema, { Cmd: 'ToolList', ref, toolList }))
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
