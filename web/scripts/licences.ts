import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

interface Licence {
  readonly name: string
  readonly version: string
  readonly licence: string
  readonly text: string
}

/** Writes `licences.json`: our own licence, and that of every package of which something is in the page. */
export function licences(version: string): Plugin {
  return {
    name: 'lineup:licences',
    apply: 'build',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((one) => (one.type === 'chunk' ? one.moduleIds : []))
      const folders = new Set(modules.map(packageFolder).filter((folder) => folder !== null))
      const own = { name: 'LineUp', version, licence: 'MIT', text: readFileSync('../LICENSE', 'utf8') }
      const others = [...folders].map(licenceOf).sort((a, b) => a.name.localeCompare(b.name))
      this.emitFile({ type: 'asset', fileName: 'licences.json', source: JSON.stringify([own, ...others]) })
    },
  }
}

/** The innermost package that a module belongs to. */
function packageFolder(module: string): string | null {
  return /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1] ?? null
}

function licenceOf(folder: string): Licence {
  const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
  const text = file ? readFileSync(join(folder, file), 'utf8') : ''
  const [name, version] = [about.name, about.version].map(String)
  // Some packages only name their licence, others only have its text.
  const licence = typeof about.license === 'string' ? about.license : text.startsWith("The MIT License") ? 'MIT' : ''
  if (!name || !version || !licence) throw new Error(`${folder} does not say its licence`)
  return { name, version, licence, text: text || `${name}: ${licence}` }
}
