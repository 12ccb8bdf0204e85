import { rename, rm } from 'node:fs/promises'

// Builds that end at the same moment move each other's page away.
const TRIES = 10

/**
 * Puts a finished page in the place of the one before it, by renames: who looks meanwhile sees one of them whole, or
 * none for a moment. Both lie on one disk.
 */
export async function publish(draft: string, page: string): Promise<void> {
  const before = `${draft}.before`
  for (let tries = 0; tries < TRIES; tries++) {
    await renamed(page, before, 'ENOENT')
    try {
      if (await renamed(draft, page, 'ENOTEMPTY', 'EEXIST')) return
    } catch (error) {
      await renamed(before, page, 'ENOENT')
      throw error
    } finally {
      await rm(before, { recursive: true, force: true })
    }
  }
  throw new Error(`others replaced ${page} ${TRIES} times meanwhile`)
}

/** Whether it could be renamed; what else than `expected` goes wrong is thrown. */
async function renamed(from: string, to: string, ...expected: readonly string[]): Promise<boolean> {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && expected.includes(String(error.code))) return false
    throw error
  }
}
