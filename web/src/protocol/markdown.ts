/**
 * Markdown of agents → HTML that may be put into the page. Raw HTML stays text, links lead only to
 * http, https and mail, pictures from elsewhere wait for a tap, and DOMPurify has the last word.
 */
import DOMPurify from 'dompurify'
import MarkdownIt, { type Env, type Token } from 'markdown-it'

import { diffLines } from './diff'

/** Words that the HTML itself contains. */
export interface MarkdownWords {
  readonly copy: string
  readonly done: string
  readonly open: string
  readonly diagram: string
  readonly zoom: string
  /** "Show all 40 lines" with the number filled in. */
  readonly unfold: (lines: number) => string
  /** "Load picture from {host}" with the host filled in. */
  readonly picture: (host: string) => string
}

const LINK = /^(?:https?:\/\/|mailto:)/i
const INLINE_PICTURE = /^data:image\/(?:png|jpeg|gif|webp);base64,/i

const engine = new MarkdownIt({ html: false, linkify: true, breaks: true })
// A bare "charge.py" or "a.rs" is a file far more often than a site.
engine.linkify.set({ fuzzyLink: false, fuzzyEmail: false })
engine.validateLink = (url) => LINK.test(url.trim()) || INLINE_PICTURE.test(url.trim())

const escape = engine.utils.escapeHtml

/** The words came in with the environment of `render`. */
function wordsOf(env: Env | undefined): MarkdownWords {
  return env?.words as MarkdownWords
}

function attribute(token: Token | undefined, name: string): string {
  return String(token?.attrGet(name) ?? '')
}

function hostOf(url: string): string {
  try {
    return new URL(url).host
  } catch {
    return ''
  }
}

engine.renderer.rules.link_open = (tokens, index, options, _env, self) => {
  const token = tokens[index]
  const href = attribute(token, 'href')
  if (!token || !LINK.test(href)) return '<a>'
  token.attrSet('rel', 'noopener noreferrer')
  token.attrSet('target', '_blank')
  return self.renderToken(tokens, index, options)
}

engine.renderer.rules.link_close = (tokens, index) => {
  const { href, label } = openingOf(tokens, index)
  const host = hostOf(href)
  const note = host && !label.includes(host) ? `<span class="host">${escape(host)}</span>` : ''
  return `</a>${note}`
}

function openingOf(tokens: Token[], close: number): { href: string; label: string } {
  let label = ''
  for (let at = close - 1; at >= 0; at -= 1) {
    const token = tokens[at]
    if (token?.type === 'link_open') return { href: attribute(token, 'href'), label }
    label = (token?.content ?? '') + label
  }
  return { href: '', label }
}

engine.renderer.rules.image = (tokens, index, _options, env) => {
  const token = tokens[index]
  const source = attribute(token, 'src')
  const alt = token?.content ?? ''
  if (INLINE_PICTURE.test(source)) {
    const name = [alt, wordsOf(env).zoom].filter(Boolean).join(': ')
    return `<button type="button" class="zoom" data-zoom aria-label="${escape(name)}"><img src="${escape(source)}" alt="${escape(alt)}"></button>`
  }
  if (!/^https?:/i.test(source)) return escape(alt)
  const label = wordsOf(env).picture(hostOf(source))
  const caption = alt ? `<span>${escape(alt)}</span>` : ''
  return `<button type="button" class="remote" data-picture="${escape(source)}" data-alt="${escape(alt)}">${caption}<span>${escape(label)}</span></button>`
}

/** Longer code shows its beginning; copying takes all of it. */
const FOLD_LINES = 24

/** The parts of a block that depend on what it is. */
interface CodeParts {
  readonly title: string
  readonly kind: '' | ' diff'
  /** For the highlighter; "" for what gets no colours from it. */
  readonly language: string
  readonly buttons: string
  readonly body: string
}

function codeParts(content: string, language: string, words: MarkdownWords): CodeParts {
  const plain = { title: language, kind: '', language, buttons: '', body: escape(content) } as const
  if (language === 'mermaid') {
    return { ...plain, language: '', buttons: `<button type="button" class="cbtn" data-diagram>${escape(words.diagram)}</button>` }
  }
  if (language !== 'diff' && language !== 'patch') return plain
  const { file, added, removed, lines } = diffLines(content)
  const buttons = `<span class="add">+${added}</span><span class="del">−${removed}</span>`
  const body = lines.map((line) => `<span class="${line.kind}">${escape(line.text)}</span>`).join('')
  return { title: file, kind: ' diff', language: '', buttons, body }
}

function codeBlock(content: string, info: string, words: MarkdownWords): string {
  const { title, kind, language, buttons, body } = codeParts(content, info.trim().split(/\s+/)[0] ?? '', words)
  const lines = content.trimEnd().split('\n').length
  const isLong = lines > FOLD_LINES
  const unfold = isLong
    ? `<button type="button" class="cbtn all" data-unfold>${escape(words.unfold(lines))}</button>`
    : ''
  return (
    `<figure class="code${isLong ? ' long' : ''}${kind}"${language ? ` data-lang="${escape(language.toLowerCase())}"` : ''}>` +
    `<div class="code-h"><span class="mono grow trunc">${escape(title)}</span>${buttons}` +
    `<button type="button" class="cbtn" data-copy>${escape(words.copy)}</button></div>` +
    `<pre tabindex="0"><code>${body}</code></pre>${unfold}</figure>`
  )
}

engine.renderer.rules.fence = (tokens, index, _options, env) =>
  codeBlock(tokens[index]?.content ?? '', tokens[index]?.info ?? '', wordsOf(env))
engine.renderer.rules.code_block = (tokens, index, _options, env) =>
  codeBlock(tokens[index]?.content ?? '', '', wordsOf(env))
engine.renderer.rules.table_open = () => '<div class="scroll-x" tabindex="0"><table class="t">'
engine.renderer.rules.table_close = () => '</table></div>'

// Headings of a message never outrank the page's own.
engine.renderer.rules.heading_open = () => '<h3>'
engine.renderer.rules.heading_close = () => '</h3>'

const TASK = /^\[([ xX])\]\s+/

engine.core.ruler.push('tasks', (state) => {
  const words = wordsOf(state.env)
  state.tokens.forEach((token, index) => {
    const item = state.tokens[index - 2]
    const children = token.children ?? []
    const [first] = children
    if (item?.type !== 'list_item_open' || first?.type !== 'text') return
    const match = TASK.exec(first.content)
    if (!match) return
    const isDone = match[1] !== ' '
    first.content = first.content.slice(match[0].length)
    const box = new state.Token('task', 'span', 0)
    box.meta = { isDone, label: isDone ? words.done : words.open }
    children.unshift(box)
    item.attrJoin('class', 'task')
  })
})
engine.renderer.rules.task = (tokens, index) => {
  const { isDone, label } = tokens[index]?.meta as { isDone: boolean; label: string }
  return `<span class="box-t${isDone ? ' on' : ''}" role="img" aria-label="${escape(label)}"></span>`
}

const PURIFY = {
  ALLOWED_TAGS: [
    ...['p', 'br', 'hr', 'h3', 'strong', 'em', 's', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li'],
    ...['a', 'img', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'figure', 'div', 'span', 'button'],
  ],
  ALLOWED_ATTR: [
    ...['href', 'rel', 'target', 'src', 'alt', 'class', 'role', 'aria-label', 'tabindex', 'type'],
    ...['start', 'data-copy', 'data-unfold', 'data-picture', 'data-alt', 'data-lang', 'data-diagram', 'data-zoom'],
  ],
  // Without this their values, too, would have to look like an allowed address.
  ADD_URI_SAFE_ATTR: ['rel', 'target', 'type', 'tabindex', 'start'],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|data:image\/(?:png|jpeg|gif|webp);base64,)/i,
}

/** The parser drops what is nested deeper, and everything behind it. */
const MAX_NESTING = 100
engine.set({ maxNesting: MAX_NESTING })

function isTooDeep(tokens: readonly Token[]): boolean {
  return tokens.some(({ level }) => level >= MAX_NESTING - 2)
}

/** Renders untrusted markdown to safe HTML; what is nested too deeply is shown as it was written. */
export function renderMarkdown(text: string, words: MarkdownWords): string {
  const env = { words }
  const tokens = engine.parse(text, env)
  const html = isTooDeep(tokens)
    ? codeBlock(text, '', words)
    : engine.renderer.render(tokens, engine.options, env)
  return DOMPurify.sanitize(html, PURIFY)
}
