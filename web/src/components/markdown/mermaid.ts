/**
 * Draws diagrams. The source is foreign: it may not set options, its links do not work, and what
 * comes out is only ever shown as a picture, in which nothing runs and nothing is loaded.
 */
import mermaid from 'mermaid'

const MAX_CHARACTERS = 20_000
const MAX_EDGES = 300
/** Options inside of the source, and the head that may hold them. */
const OPTIONS = /%%\{[\s\S]*?\}%%/g
const HEAD = /^\s*---\s*\n[\s\S]*?\n\s*---\s*(?:\n|$)/
/** What would make a part of the picture a link or a button. */
const CLICKS = /^[ \t]*(?:click|links?|callback)[ \t].*$/gim

/** A drawn diagram. */
export interface Diagram {
  /** A data: address that may be the source of a picture. */
  readonly src: string
  readonly width: number
  readonly height: number
}
/** These kinds have a look of their own where they are not told. */
const OPINIONATED = ['flowchart', 'sequence', 'class', 'state', 'er', 'requirement']

/** Where HTML would begin; line breaks and «stereotypes» of classes are none. */
const TAGS = /<<([\w ]+)>>|<(?!br\s*\/?>)(?=[a-z!/?])/gi

let drawn = 0

/** Throws an Error with the reason if it is no diagram. */
export async function draw(source: string): Promise<Diagram> {
  const text = source
    .replace(HEAD, '')
    .replace(OPTIONS, '')
    .replace(CLICKS, '')
    // Mermaid would try labels as HTML to measure them.
    .replace(TAGS, (found, word?: string) => (word === undefined ? '‹' : found))
  if (text.length > MAX_CHARACTERS) throw new Error(`more than ${MAX_CHARACTERS} characters`)
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    // Labels as text of the drawing: HTML inside of a picture is not shown everywhere.
    htmlLabels: false,
    suppressErrorRendering: true,
    // The other layouts are not in the page (scripts/diagrams.ts).
    layout: 'dagre',
    ...Object.fromEntries(OPINIONATED.map((kind) => [kind, { theme: 'base', look: 'classic', layout: 'dagre' }])),
    maxTextSize: MAX_CHARACTERS,
    maxEdges: MAX_EDGES,
    theme: 'base',
    fontFamily: 'system-ui, sans-serif',
    themeVariables: colours(),
  })
  const place = document.createElement('div')
  place.className = 'dia-w'
  document.body.append(place)
  drawn += 1
  try {
    const { svg } = await mermaid.render(`diagram-${drawn}`, text, place)
    return pictureOf(svg)
  } finally {
    place.remove()
  }
}

/** The page's own colours at this moment. */
function colours(): Record<string, string | boolean> {
  const style = getComputedStyle(document.documentElement)
  const token = (name: string) => style.getPropertyValue(name).trim()
  return {
    darkMode: style.colorScheme === 'dark',
    background: token('--c-bg'),
    primaryColor: token('--c-sunken'),
    primaryTextColor: token('--c-ink'),
    primaryBorderColor: token('--c-control'),
    secondaryColor: token('--c-hover'),
    tertiaryColor: token('--c-bg'),
    edgeLabelBackground: token('--c-bg'),
    lineColor: token('--c-ink-2'),
    textColor: token('--c-ink'),
    noteBkgColor: token('--c-warn-soft'),
    noteTextColor: token('--c-ink'),
    noteBorderColor: token('--c-warn-line'),
  }
}

function pictureOf(svg: string): Diagram {
  const root = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement
  if (root.localName !== 'svg') throw new Error('no drawing')
  const [, , width = 0, height = 0] = (root.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number)
  if (!(width > 0 && height > 0)) throw new Error('an empty drawing')
  root.setAttribute('width', String(Math.ceil(width)))
  root.setAttribute('height', String(Math.ceil(height)))
  // The text may have shown it in another light.
  root.style.background = getComputedStyle(document.documentElement).getPropertyValue('--c-bg')
  const text = new XMLSerializer().serializeToString(root)
  return { src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`, width, height }
}
