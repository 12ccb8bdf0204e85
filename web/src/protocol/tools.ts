/** Tools as seed 000 has them: what a device offers, calls of it, and what comes back of a call. */
import type { OutgoingAttachment } from './attachments'
import type { FileView, PictureView } from './view'

type JsonSchema = Readonly<Record<string, unknown>>

interface ActionHints {
  readonly read_only?: boolean
  readonly destructive?: boolean
  readonly idempotent?: boolean
}

export interface ActionDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly hints?: ActionHints
  /** A human answers it. */
  readonly interactive?: boolean
  readonly resultSchema?: JsonSchema
}

/** An app has a life (open, use, close), a toolset has actions, an action is one. */
export type ToolDefinition =
  | {
      readonly type: 'app' | 'toolset'
      readonly name: string
      readonly description: string
      readonly version: string
      readonly interactive?: boolean
      readonly actions: readonly ActionDefinition[]
    }
  | {
      readonly type: 'action'
      readonly name: string
      readonly description: string
      readonly version: string
      readonly interactive?: boolean
      readonly inputSchema: JsonSchema
      readonly resultSchema?: JsonSchema
    }

/** A MiniApp and what it offers. */
export interface ApplicationDefinition {
  readonly id: string
  readonly version: string
  readonly title: string
  readonly tools: readonly ToolDefinition[]
}

export interface CallFacts {
  readonly callId: string
  readonly name: string
  readonly action: string
  /** The arguments as they came: numbers in them are exact. */
  readonly argumentsJson: string
  /** The MiniApp that is called; "" for a tool of the page. */
  readonly applicationId: string
  readonly agentId: string
  /** How long it waits in all; 0 if unknown. */
  readonly timeoutMs: number
  /** When it was called, by the relay's clock. */
  readonly atMs: number
}

export type CallPhase =
  | 'accepted'
  | 'starting'
  | 'started'
  | 'progress'
  | 'succeeded'
  | 'failed'
  | 'cancelled'
  | 'taken'
  | 'expired'

/** A receipt, progress or the result of a call. */
export interface CallUpdate {
  readonly callId: string
  readonly phase: CallPhase
  readonly progress: number
  readonly total: number
  readonly message: string
  /** JSON text; "" if there is none. */
  readonly resultJson: string
  /** Pictures and files of a result on its way out. */
  readonly contents: readonly OutgoingAttachment[]
  /** Lower-case name of the error code; "" for none. */
  readonly code: string
  readonly instanceId: string
  /** The agent has the end of the call. */
  readonly received: boolean
  /** What came with the answer of another device. */
  readonly pictures: readonly PictureView[]
  readonly files: readonly FileView[]
}

/** A tool of this page that the room does not offer. */
export interface RefusedTool {
  readonly name: string
  readonly applicationId: string
  readonly message: string
}

const ENDS: ReadonlySet<CallPhase> = new Set(['succeeded', 'failed', 'cancelled', 'taken', 'expired'])

/** Nothing of this device follows. */
export function isEnd(phase: CallPhase): boolean {
  return ENDS.has(phase)
}

export function anUpdateOf(callId: string, phase: CallPhase, part: Partial<CallUpdate> = {}): CallUpdate {
  const empty = { progress: 0, total: 0, message: '', resultJson: '', contents: [], code: '', instanceId: '', received: false, pictures: [], files: [] }
  return { callId, phase, ...empty, ...part }
}

/** The arguments; null if they are no JSON object. */
export function argumentsOf(json: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(json || '{}')
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
