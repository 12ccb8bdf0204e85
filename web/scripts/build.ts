// Builds the page beside the one that a relay may be serving, then puts it in its place.
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

import { publish } from './publish.ts'

const draft = fileURLToPath(new URL(`../../.cache/page-${process.pid}`, import.meta.url))
const page = fileURLToPath(new URL('../../lineup_srv/page', import.meta.url))

try {
  await build({ build: { outDir: draft } })
  await publish(draft, page)
} finally {
  await rm(draft, { recursive: true, force: true })
}
