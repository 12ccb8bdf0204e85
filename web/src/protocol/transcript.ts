/**
 * Entries of the history as texts to keep: Markdown for people, JSON for programs. Nothing in them
 * opens anything: no token, no link to the relay's files, no bytes of pictures.
 */
import type { TimelineItem } from './timeline'
import type { AgentFacts, FileView, PictureView, QuestionView, ReplyFacts, RequestView } from './view'

/** What stands between the contents, in the reader's language. */
export interface TranscriptWords {
  /** The date of an instant as a heading. */
  readonly day: (ms: number) => string
  readonly clock: (ms: number) => string
  /** "Answer (Pixel 8, 13:48)". */
  readonly answer: (by: string, atMs: number) => string
  /** How a request ended or that it waits; "" if its answer says it all. */
  readonly outcome: (request: RequestView) => string
  readonly you: string
  readonly picture: string
  readonly file: string
  /** In place of what was typed hidden. */
  readonly secret: string
}

/** What an agent or a human wrote, byte for byte; of a form all questions. */
export function sourceOf(item: TimelineItem): string {
  if (item.type === 'text') return item.text.content
  if (item.type === 'picture') return [item.shown.alt, item.shown.caption].filter(Boolean).join('\n\n')
  const { request } = item
  const [only, second] = request.questions
  if (request.approval) return request.approval.command || request.approval.inputJson
  return only && !second ? only.text : request.text
}

/** One entry with its options and its answer. */
export function entryMarkdown(item: TimelineItem, agent: AgentFacts | null, words: TranscriptWords): string {
  const byHuman = item.type === 'text' && item.text.byHuman
  const who = byHuman ? item.text.from || words.you : (agent?.name ?? '')
  const head = [words.clock(item.atMs), who, agent?.project ?? ''].filter(Boolean).join(' · ')
  return `### ${line(head)}\n\n${bodyOf(item, words)}\n`
}

/** The heading above the first entry of a day. */
export function dayMarkdown(ms: number, words: TranscriptWords): string {
  return `## ${line(words.day(ms))}\n`
}

function bodyOf(item: TimelineItem, words: TranscriptWords): string {
  if (item.type === 'text') return [item.text.content, ...named(item.text.pictures, item.text.files, words)].filter(Boolean).join('\n\n')
  if (item.type === 'picture') return `[${words.picture}] ${line(sourceOf(item))}`.trim()
  const { request } = item
  const parts = request.approval ? [fenced(sourceOf(item))] : asked(request)
  const outcome = words.outcome(request)
  return [...parts, ...named(request.pictures, [], words), ...(outcome ? [`*${line(outcome)}*`] : []), ...answered(request, words)].join('\n\n')
}

/** What was typed hidden is written nowhere; that it was given is. */
export function isSecret({ asked: call }: RequestView): boolean {
  return call?.field === 'secret'
}

function asked({ questions, text }: RequestView): string[] {
  const [first, second] = questions
  if (!first) return [text]
  if (second) return questions.map((question, index) => `**${index + 1}.** ${withOptions(question)}`)
  return [withOptions(first)]
}

function withOptions({ text, options }: QuestionView): string {
  const lines = options.map(({ label, description }) => `- ${line(label)}${description ? `: ${line(description)}` : ''}`)
  return [text, lines.join('\n')].filter(Boolean).join('\n\n')
}

function answered(request: RequestView, words: TranscriptWords): string[] {
  const { reply } = request
  if (!reply || reply.action === 'decline') return []
  const said = isSecret(request) ? [words.secret] : replyLines(request, reply)
  const lines = [`**${line(words.answer(reply.by, reply.atMs))}**`, ...said, ...named(reply.pictures, reply.files, words)]
  return [quoted(lines.join('\n\n'))]
}

function replyLines({ questions }: RequestView, { answers, text }: ReplyFacts): string[] {
  if (answers.length === 0) return text ? [text] : []
  return answers.map((answer) => {
    const header = line(questions[answer.index]?.header ?? '')
    const head = questions.length > 1 ? [`${answer.index + 1}.`, header].join(' ').trim() : ''
    const chosen = answer.labels.map((label) => `**${line(label)}**`).join(', ')
    return [head, chosen, answer.text].filter(Boolean).join('\n\n')
  })
}

function named(pictures: readonly PictureView[], files: readonly FileView[], words: TranscriptWords): string[] {
  return [
    ...pictures.map(({ mime }) => `[${words.picture}: ${mime}]`),
    ...files.map(({ name, mime }) => `[${words.file}: ${line(name || mime)}]`),
  ]
}

function line(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((one) => `> ${one}`.trimEnd())
    .join('\n')
}

/** With a fence that is longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}

/** One entry as a line of JSON; the names are those of the wire where it has them. */
export function entryJson(item: TimelineItem, agent: AgentFacts | null): string {
  return JSON.stringify({ at: instant(item.atMs), agent: agentJson(agent), ...contentJson(item) })
}

function agentJson(agent: AgentFacts | null) {
  if (!agent) return null
  const { name, client, model, machine, project, directory } = agent
  return { name, client, model, machine, project, directory }
}

function contentJson(item: TimelineItem) {
  if (item.type === 'text') {
    const { id, content, from, byHuman, received } = item.text
    return { type: 'text', id, by: byHuman ? 'human' : 'agent', from, content, ...attachedJson(item.text), received }
  }
  if (item.type === 'picture') {
    const { id, alt, caption, picture } = item.shown
    return { type: 'picture', id, alt, caption, mime_type: picture?.mime ?? '' }
  }
  const { request } = item
  return {
    type: request.kind,
    id: request.id,
    state: request.phase,
    text: request.text,
    questions: request.questions,
    approval: approvalJson(request),
    pictures: request.pictures.map(({ mime }) => mime),
    deadline: instant(request.deadlineMs),
    ended: instant(request.changedMs),
    reason: request.reason,
    message: request.message,
    received: request.received,
    late: request.late,
    answer: request.reply && replyJson(request.reply, isSecret(request)),
  }
}

function approvalJson({ approval }: RequestView) {
  if (!approval) return null
  const { tool, command, cwd, description, inputJson } = approval
  return { tool, command, cwd, description, input_json: inputJson }
}

function replyJson({ action, answers, text, by, atMs, pictures, files }: ReplyFacts, isHidden: boolean) {
  if (isHidden) return { action, secret: true, by, at: instant(atMs) }
  return {
    action,
    answers,
    text,
    by,
    at: instant(atMs),
    ...attachedJson({ pictures, files }),
  }
}

function attachedJson({ pictures, files }: Pick<ReplyFacts, 'pictures' | 'files'>) {
  return { pictures: pictures.map(({ mime }) => mime), files: files.map(({ name, mime }) => ({ name, mime_type: mime })) }
}

function instant(ms: number): string | null {
  return ms > 0 ? new Date(ms).toISOString() : null
}
