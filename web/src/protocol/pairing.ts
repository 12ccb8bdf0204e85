/** How one more device joins: what the relay tells of it, and the address that is shown to be scanned. */

type PairingState = 'offered' | 'claimed' | 'joined' | 'refused' | 'expired'

export interface PairingFacts {
  readonly state: PairingState
  /** With `offered` only; a secret. */
  readonly code: string
  /** Until when it is good, or the other device be let in; relay clock, Unix ms. */
  readonly expiresMs: number
  /** Where others reach the page, by the relay's word; "" if only this machine does. */
  readonly baseUrl: string
  /** Of the device that presented the code. */
  readonly name: string
}

/** Names of this machine that mean another one elsewhere, and names without a dot that only some know. */
function isForOthers(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost') || host.startsWith('127.') || host === '[::1]') return false
  return host.includes('.') || host.startsWith('[')
}

/** Where another device reaches the page; "" if it cannot (B91: never an address of the loopback). */
export function pageForOthers(baseUrl: string, pageUrl: string): string {
  const page = new URL('.', pageUrl)
  if (isForOthers(page.hostname)) return `${page.origin}${page.pathname}`
  return baseUrl && isForOthers(new URL(baseUrl).hostname) ? baseUrl : ''
}

/** The code stands behind the "#", which browsers send to nobody. */
export function pairingUrl(page: string, code: string): string {
  return `${page}#/pair/${code}`
}

/** How joining went, as the relay answers the device that scanned the code. */
export type JoinResult =
  | { readonly token: string }
  | { readonly problem: 'declined' | 'expired' | 'used' | 'rate_limited' | 'offline' | 'other' }

const PROBLEMS: Readonly<Record<number, 'declined' | 'expired' | 'used' | 'rate_limited'>> = {
  403: 'declined',
  408: 'expired',
  410: 'used',
  429: 'rate_limited',
}

export function joinResult(status: number, body: unknown): JoinResult {
  const token = typeof body === 'object' && body !== null && 'token' in body ? body.token : null
  if (status === 200 && typeof token === 'string' && token) return { token }
  return { problem: PROBLEMS[status] ?? 'other' }
}
