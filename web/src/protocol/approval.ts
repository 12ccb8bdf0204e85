/** Permissions that an agent asks for: what may be edited, and the reply made from a decision. */
import { questionDraft, type Draft, type ReplyContent } from './draft'
import type { ApprovalView } from './view'

export type Decision = 'allow_once' | 'allow_session' | 'deny'

/** What a human reads and may change: the command, else the whole input as JSON. */
export function editableText(approval: ApprovalView): string {
  return approval.command || pretty(approval.inputJson)
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}

/** The input with the edited command in it; null if the edit makes no valid input. */
export function editedInput(approval: ApprovalView, edited: string): string | null {
  const input = parsed(approval.inputJson)
  if (!approval.command) return parsed(edited) === undefined ? null : edited
  if (typeof input !== 'object' || input === null) return JSON.stringify({ command: edited })
  const key = Object.entries(input).find(([, value]) => value === approval.command)?.[0] ?? 'command'
  return JSON.stringify({ ...input, [key]: edited })
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown
  } catch {
    return undefined
  }
}

/** The edited text of a draft, if it differs from what was asked. */
export function editOf(approval: ApprovalView, draft: Draft): string | null {
  if (!approval.canEdit || draft.input === undefined) return null
  return draft.input === editableText(approval) ? null : draft.input
}

export function writeInput(draft: Draft, input: string | undefined): Draft {
  return input === undefined ? { questions: draft.questions } : { ...draft, input }
}

/** A denial never carries an edit. */
export function decisionReply(approval: ApprovalView, draft: Draft, decision: Decision): ReplyContent {
  const note = questionDraft(draft, 0).text.trim()
  const edit = decision === 'deny' ? null : editOf(approval, draft)
  return {
    action: 'answer',
    answers: [{ index: 0, labels: [decision], text: note }],
    text: [decision, note].filter(Boolean).join('\n'),
    inputJson: edit === null ? '' : (editedInput(approval, edit) ?? ''),
  }
}

/** The decision in a reply; null for a reply that only says something. */
export function decisionIn(labels: readonly string[]): Decision | null {
  const [label] = labels
  return label === 'allow_once' || label === 'allow_session' || label === 'deny' ? label : null
}
