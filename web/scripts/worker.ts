import { createHash } from 'node:crypto'
import type { Plugin, Rolldown } from 'vite'

const NAME = 'sw.js'
const PLACE = '__SHELL__'
/** A part that is larger, a drawer of diagrams for example, is kept when it is first used. */
const MAX_BYTES = 100_000
/** Small itself, and the door to many that are not. */
const DRAWER = '/node_modules/mermaid/'

type Bundle = Rolldown.OutputBundle

/** Writes the names of the page's files into the service worker, and which of them it keeps at once. */
export function worker(): Plugin {
  return {
    name: 'lineup:worker',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const sw = bundle[NAME]
        const page = bundle['index.html']
        if (sw?.type !== 'chunk' || page?.type !== 'asset') throw new Error(`no ${NAME} or no page in the build`)
        if (sw.imports.length > 0) throw new Error(`${NAME} must stand alone: old browsers load no modules in it`)
        const first = [...firstFiles(bundle), 'index.html', 'icon.svg', 'licences.json', 'manifest.webmanifest'].sort()
        const later = Object.keys(bundle).filter((name) => name.startsWith('assets/') && !first.includes(name)).sort()
        const version = createHash('sha256').update([String(page.source), ...first, ...later].join('\n')).digest('hex').slice(0, 16)
        sw.code = sw.code.replace(PLACE, JSON.stringify({ version, first, later }))
      },
    },
  }
}

/** All that a click may ask for, but for the large parts and what only they need. */
function firstFiles(bundle: Bundle): Set<string> {
  const files = new Set<string>()
  const visit = (name: string): void => {
    const chunk = bundle[name]
    if (files.has(name) || chunk?.type !== 'chunk') return
    files.add(name)
    for (const style of chunk.viteMetadata?.importedCss ?? []) files.add(style)
    for (const other of chunk.imports) visit(other)
    for (const other of chunk.dynamicImports) if (isSmall(bundle, other)) visit(other)
  }
  const chunks = Object.values(bundle).filter((one) => one.type === 'chunk')
  const entry = chunks.find(({ isEntry, fileName }) => isEntry && fileName !== NAME)
  // The entry only takes the token out of the address bar; what it then imports is the page, of any size.
  for (const name of entry ? [entry.fileName, ...entry.dynamicImports] : []) visit(name)
  return files
}

function isSmall(bundle: Bundle, name: string): boolean {
  const chunk = bundle[name]
  return chunk?.type === 'chunk' && chunk.code.length <= MAX_BYTES && !chunk.moduleIds.some((id) => id.includes(DRAWER))
}
