/** Kept values in this browser. Storage may be full, forbidden or emptied: nothing here throws. */

const PREFIX = 'lineup.'

export function readText(key: string): string {
  try {
    return localStorage.getItem(PREFIX + key) ?? ''
  } catch {
    return ''
  }
}

/** Writes a text; an empty one removes the key. False if the browser refused. */
export function writeText(key: string, value: string): boolean {
  try {
    if (value) localStorage.setItem(PREFIX + key, value)
    else localStorage.removeItem(PREFIX + key)
    return true
  } catch {
    return false
  }
}

/** A text that is this tab's alone; it survives a reload and no more. */
export function readTabText(key: string): string {
  try {
    return sessionStorage.getItem(PREFIX + key) ?? ''
  } catch {
    return ''
  }
}

export function writeTabText(key: string, value: string): void {
  try {
    sessionStorage.setItem(PREFIX + key, value)
  } catch {
    // The tab is a new one after the next reload.
  }
}

/** Reads what `writeJson` wrote; null if there is nothing or something else. */
export function readJson(key: string): unknown {
  try {
    return JSON.parse(readText(key) || 'null') as unknown
  } catch {
    return null
  }
}

export function writeJson(key: string, value: unknown): boolean {
  return writeText(key, value === null ? '' : JSON.stringify(value))
}

/** The ends of all keys that start with `start`. */
export function keysBelow(start: string): string[] {
  try {
    const full = PREFIX + start
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(full))
      .map((key) => key.slice(full.length))
  } catch {
    return []
  }
}

export function forgetEverything(): void {
  for (const key of keysBelow('')) writeText(key, '')
  try {
    sessionStorage.clear()
  } catch {
    // There was nothing to forget.
  }
}

/** Names the room without naming its token, so that drafts and replies never change rooms. */
export function roomKey(token: string): string {
  let hash = 2166136261
  for (const character of token) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16777619) >>> 0
  }
  return hash.toString(36)
}
