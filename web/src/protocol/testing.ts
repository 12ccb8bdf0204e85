/** Values for tests; one place, so that a new field is added once. */
import { agentFacts } from './agent'
import type { Attachment } from './attachments'
import type { OutboxEntry } from './outbox'
import type { AgentPresence, ApprovalView, QuestionView, ReplyFacts, RequestFacts, StateUpdate, TextFacts } from './view'

export const AGENT = agentFacts({
  id: 'agent-1',
  name: 'Claude Code',
  client: 'claude-code',
  directory: '/home/me/shop-api',
  model: 'opus',
  machine: 'm1',
  machineName: 'macbook',
})

export function aQuestion(part: Partial<QuestionView> = {}): QuestionView {
  return { text: 'Which one?', header: '', options: [], multiple: false, custom: true, ...part }
}

export function options(...labels: string[]) {
  return labels.map((label) => ({ label, description: '' }))
}

export function aRequest(part: Partial<RequestFacts> = {}): RequestFacts {
  return {
    id: 'r1',
    kind: 'question',
    agent: AGENT,
    questions: [aQuestion()],
    text: 'Which one?',
    pictures: [],
    approval: null,
    asked: null,
    createdMs: 1_000_000,
    timeoutSeconds: 600,
    abortsOnTimeout: false,
    ...part,
  }
}

export function anApproval(part: Partial<ApprovalView> = {}): ApprovalView {
  return {
    tool: 'Bash',
    command: 'git push --force origin main',
    cwd: '/home/me/shop-api',
    description: 'Remove the leaked key',
    inputJson: '{"command":"git push --force origin main"}',
    canAllowSession: true,
    canEdit: false,
    ...part,
  }
}

export function anAttachment(part: Partial<Attachment> = {}): Attachment {
  return {
    id: 'att-1',
    name: 'photo.jpg',
    kind: 'image',
    mime: 'image/jpeg',
    bytes: new Uint8Array([1, 2, 3]),
    original: null,
    sendOriginal: false,
    atMs: 1,
    ...part,
  }
}

export function aReply(part: Partial<ReplyFacts> = {}): ReplyFacts {
  return {
    action: 'answer',
    answers: [{ index: 0, labels: ['A'], text: '' }],
    text: 'A',
    pictures: [],
    files: [],
    by: 'iPad',
    mine: false,
    atMs: 2_000_000,
    ...part,
  }
}

export function anUpdate(part: Partial<StateUpdate> = {}): StateUpdate {
  return {
    requestId: 'r1',
    phase: null,
    reason: '',
    by: '',
    deadlineMs: 0,
    late: false,
    received: false,
    agentGone: false,
    message: '',
    changedMs: 0,
    ...part,
  }
}

export function anEntry(part: Partial<OutboxEntry> = {}): OutboxEntry {
  return {
    ref: 'ref-1',
    requestId: 'r1',
    agentId: 'agent-1',
    kind: 'question',
    title: '',
    action: 'answer',
    answers: [{ index: 0, labels: ['A'], text: '' }],
    text: 'A',
    inputJson: '',
    resultJson: '',
    isSecret: false,
    attachments: [],
    createdMs: 1_500_000,
    notBeforeMs: 0,
    state: 'queued',
    attempts: 0,
    code: '',
    message: '',
    ...part,
  }
}

export function aPresence(part: Partial<AgentPresence> = {}): AgentPresence {
  return { id: 'agent-1', agent: AGENT, attached: true, lastCallMs: 0, leftMs: 0, messagesWaiting: 0, ...part }
}

export function aText(part: Partial<TextFacts> = {}): TextFacts {
  const common = { id: 't1', content: 'Use the staging database', agentId: 'agent-1', from: 'iPad' }
  return { ...common, pictures: [], files: [], sentMs: 3_000_000, received: false, receivedMs: 0, ...part }
}
