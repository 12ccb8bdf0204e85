import type { OutgoingAttachment } from '../protocol/attachments'

/** What an action gives back. */
export interface ToolResult {
  /** `message` is what the agent reads first. */
  readonly result: Readonly<Record<string, unknown>> & { readonly message: string }
  readonly contents?: readonly OutgoingAttachment[]
  /** The instance that was opened or used. */
  readonly instanceId?: string
}

type ToolErrorCode = 'invalid_argument' | 'not_supported' | 'app_gone' | 'start_failed' | 'too_large' | 'unknown_tool' | 'invalid_result'

/** Why an action failed; the code and the words go to the agent. */
export class ToolError extends Error {
  readonly code: ToolErrorCode

  constructor(code: ToolErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
