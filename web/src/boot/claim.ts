import { claimed } from '../protocol/attention'
import { readJson, writeJson } from '../stores/storage'

const KEY = 'alerted'
/** A page in front speaks first; the others then find the card taken. */
const HIDDEN_DELAY_MS = 250

let own: readonly string[] = []

function kept(): readonly string[] {
  const ids = readJson(KEY)
  return Array.isArray(ids) ? (ids as string[]) : own
}

function take(id: string): boolean {
  const next = claimed(kept(), id)
  if (!next) return false
  own = next
  writeJson(KEY, next)
  return true
}

/**
 * Makes this tab the one of its browser that alerts about a card; false if another one did, or an
 * earlier load of the page. Plain http has no locks: there only a random pause keeps tabs apart.
 */
export async function claim(id: string, isVisible: boolean, random: () => number = Math.random): Promise<boolean> {
  if (!isVisible) await pause(HIDDEN_DELAY_MS * (1 + random()))
  const locks = (navigator as { locks?: LockManager }).locks
  if (!locks) return take(id)
  return locks.request('lineup-alert', () => take(id))
}

async function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
