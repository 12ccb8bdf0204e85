// Fails when what the first load fetches (entry, its static imports, their CSS) is too large, when a part that
// is loaded on demand is, or when there are fonts.
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const PAGE = new URL('../../lineup_srv/page/', import.meta.url)
const LIMIT_KB = 200

const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', PAGE), 'utf8'))
const files = new Set()
const seen = new Set()

// The entry only takes the token out of the address bar and then imports the page.
function visitEntry(name) {
  visit(name)
  const early = manifest[name].dynamicImports.filter((imported) => seen.has(imported))
  if (early.length > 0) throw new Error(`the entry fetches ${early} before it has taken the token`)
  for (const imported of manifest[name].dynamicImports) visit(imported)
}

function visit(name) {
  if (seen.has(name)) return
  seen.add(name)
  const chunk = manifest[name]
  for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file)
  for (const imported of chunk.imports ?? []) visit(imported)
}

visitEntry('index.html')

let total = 0
for (const file of files) {
  const size = gzipSync(readFileSync(new URL(file, PAGE)), { level: 9 }).length / 1000
  total += size
  console.log(`${size.toFixed(1).padStart(7)} kB  ${file}`)
}
console.log(`${total.toFixed(1).padStart(7)} kB gzip at first load, ${LIMIT_KB} kB allowed`)

// Mermaid's own parts together; one diagram fetches a few of them and what they share.
const DRAWER = Object.entries(manifest).filter(([name]) => name.includes('/mermaid/') || name.endsWith('/mermaid.ts'))
const LAZY = [
  ['highlighter', ['src/protocol/highlight.ts'], 45],
  ['history', ['src/pages/HistoryPage.vue'], 12],
  ['mermaid, all kinds', DRAWER.map(([name]) => name), 600],
]
const sizeOf = (file) => gzipSync(readFileSync(new URL(file, PAGE)), { level: 9 }).length / 1000
const tooLarge = LAZY.filter(([what, names, limit]) => {
  const size = names.reduce((sum, name) => sum + sizeOf(manifest[name].file), 0)
  console.log(`${size.toFixed(1).padStart(7)} kB gzip on demand: ${what}, ${limit} kB allowed`)
  return size > limit || size === 0
})
const fonts = readdirSync(new URL('assets/', PAGE)).filter((name) => /\.(?:woff2?|ttf|otf|eot)$/.test(name))
if (fonts.length > 0) console.log(`fonts are not wanted: ${fonts.join(', ')}`)
process.exitCode = total > LIMIT_KB || tooLarge.length > 0 || fonts.length > 0 ? 1 : 0
