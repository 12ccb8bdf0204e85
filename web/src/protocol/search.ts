/** Finding entries: which match, and the words around a hit. Pure; times and texts come in. */
import { plainText } from './plainText'
import type { TimelineItem } from './timeline'
import { sourceOf } from './transcript'
import type { AgentFacts, RequestPhase, RequestView } from './view'

/** What somebody looks for; "" = all. */
export interface Query {
  /** Every word of it must occur, in any case. */
  readonly words: string
  /** The name of an agent. */
  readonly agent: string
  readonly project: string
  readonly is: Trait | ''
}

/** Where a request stands, or what an entry is. */
export const STATES = ['pending', 'answered', 'declined', 'expired', 'cancelled'] as const satisfies readonly RequestPhase[]
export const KINDS = ['question', 'report', 'approval', 'text', 'picture'] as const
export type Trait = (typeof STATES)[number] | (typeof KINDS)[number]

/** An entry with who it is from or for. */
export interface Entry {
  readonly item: TimelineItem
  readonly agent: AgentFacts | null
}

export function isTrait(value: string): value is Trait {
  return [...STATES, ...KINDS].some((known) => known === value)
}

export function isEmptyQuery({ words, agent, project, is }: Query): boolean {
  return [words.trim(), agent, project, is].every((part) => part === '')
}

/** The words to look for. */
export function termsOf(words: string): string[] {
  return words.toLowerCase().split(/\s+/).filter(Boolean)
}

export function matches(entry: Entry, query: Query, terms: readonly string[]): boolean {
  return passes(entry, query) && (terms.length === 0 || hasAll(entry, terms))
}

function passes({ item, agent }: Entry, query: Query): boolean {
  const { name = '', project = '' } = agent ?? {}
  const wanted: [string, readonly string[]][] = [
    [query.agent, [name]],
    [query.project, [project]],
    [query.is, [kindOf(item), phaseOf(item)]],
  ]
  return wanted.every(([value, own]) => value === '' || own.includes(value))
}

function hasAll({ item, agent }: Entry, terms: readonly string[]): boolean {
  const who = agent ? [agent.name, agent.project, agent.model, agent.machine].join('\n').toLowerCase() : ''
  const text = `${haystack(item)}\n${who}`
  return terms.every((term) => text.includes(term))
}

function kindOf(item: TimelineItem): Trait {
  return item.type === 'request' ? item.request.kind : item.type
}

function phaseOf(item: TimelineItem): Trait | '' {
  return item.type === 'request' ? item.request.phase : ''
}

/** The text of an entry in lower case, made once for each state of it. */
const haystacks = new WeakMap<object, string>()

function haystack(item: TimelineItem): string {
  const part = partOf(item)
  const known = haystacks.get(part)
  if (known !== undefined) return known
  const text = textOf(item).toLowerCase()
  haystacks.set(part, text)
  return text
}

function partOf(item: TimelineItem): object {
  if (item.type === 'request') return item.request
  return item.type === 'text' ? item.text : item.shown
}

/** All words of an entry: what was asked, the options, the answer. */
function textOf(item: TimelineItem): string {
  if (item.type === 'text') return [item.text.content, item.text.from, ...item.text.files.map(({ name }) => name)].join('\n')
  if (item.type === 'picture') return sourceOf(item)
  const { request } = item
  return [sourceOf(item), request.text, ...optionsOf(request), request.message, answerOf(request)].join('\n')
}

function optionsOf({ questions }: RequestView): string[] {
  return questions.flatMap(({ header, text, options }) => [header, text, ...options.flatMap(({ label, description }) => [label, description])])
}

/** The answer in words. */
export function answerOf({ reply }: RequestView): string {
  if (!reply) return ''
  const said = reply.answers.flatMap(({ labels, text }) => [...labels, text])
  return [...(said.length > 0 ? said : [reply.text]), ...reply.files.map(({ name }) => name)].filter(Boolean).join('\n')
}

/** A piece of text; `isHit`: it was looked for. */
interface Piece {
  readonly text: string
  readonly isHit: boolean
}

const BEFORE = 60
const LENGTH = 220

/** The part of an entry that shows why it was found, on one line. */
export function excerptOf(item: TimelineItem, terms: readonly string[]): Piece[] {
  const source = plainText(sourceOf(item))
  const text = hasHit(source, terms) || item.type !== 'request' ? source : plainText(firstWithHit(textOf(item), terms, sourceOf(item)))
  const lower = text.toLowerCase()
  // In a few languages the lower case is longer: then the beginning is shown, without marks.
  const at = lower.length === text.length ? firstHit(lower, terms) : 0
  const start = at > BEFORE ? wordStart(text, at - BEFORE) : 0
  const cut = text.slice(start, start + LENGTH).trim()
  const piece = `${start > 0 ? '…' : ''}${cut}${start + LENGTH < text.length ? '…' : ''}`
  return marked(piece, terms)
}

/** Behind the next space, if it is near. */
function wordStart(text: string, from: number): number {
  const space = text.slice(from, from + BEFORE / 2).search(/\s/)
  return space < 0 ? from : from + space + 1
}

function hasHit(text: string, terms: readonly string[]): boolean {
  const lower = text.toLowerCase()
  return terms.length === 0 || terms.some((term) => lower.includes(term))
}

function firstWithHit(all: string, terms: readonly string[], otherwise: string): string {
  return all.split('\n').find((line) => line && hasHit(line, terms)) ?? otherwise
}

function firstHit(lower: string, terms: readonly string[]): number {
  const hits = terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0)
  return hits.length > 0 ? Math.min(...hits) : 0
}

function marked(text: string, terms: readonly string[]): Piece[] {
  if (terms.length === 0 || text.toLowerCase().length !== text.length) return [{ text, isHit: false }]
  const pattern = new RegExp(`(${terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`, 'giu')
  return text.split(pattern).map((piece, index) => ({ text: piece, isHit: index % 2 === 1 })).filter((piece) => piece.text !== '')
}

/** The names to choose from, in the order of the alphabet. */
export function namesOf(entries: readonly Entry[], of: (agent: AgentFacts) => string): string[] {
  const names = new Set(entries.flatMap(({ agent }) => (agent && of(agent) ? [of(agent)] : [])))
  return [...names].sort((a, b) => a.localeCompare(b))
}
