import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const COMPRESSIBLE = /\.(?:html|js|css|svg|json|webmanifest|txt|wasm)$/
// Below it a compressed copy saves less than its headers cost.
const MIN_BYTES = 1024

/** Writes `.br` and `.gz` beside each text file, so that the relay compresses nothing itself. */
export function precompress(): Plugin {
  let outDir = ''
  return {
    name: 'lineup:precompress',
    apply: 'build',
    configResolved(config) {
      outDir = resolve(config.root, config.build.outDir)
    },
    async closeBundle() {
      const names = await readdir(outDir, { recursive: true })
      await Promise.all(
        names.filter((name) => COMPRESSIBLE.test(name)).map((name) => compress(join(outDir, name))),
      )
    },
  }
}

async function compress(file: string): Promise<void> {
  if ((await stat(file)).size < MIN_BYTES) return
  const content = await readFile(file)
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(content, {
      params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
    }),
    promisify(gzip)(content, { level: 9 }),
  ])
  await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)])
}
