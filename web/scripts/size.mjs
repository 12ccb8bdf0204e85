// Fails when what the first load fetches (entry, its static imports, their CSS) is too large.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const PAGE = new URL('../../lineup_srv/page/', import.meta.url)
const LIMIT_KB = 200

const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', PAGE), 'utf8'))
const files = new Set()
const seen = new Set()

// The entry only takes the token out of the address bar and then imports the page.
function visitEntry(name) {
  visit(name)
  for (const imported of manifest[name].dynamicImports ?? []) visit(imported)
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
process.exitCode = total > LIMIT_KB ? 1 : 0
