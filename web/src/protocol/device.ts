/** Names for this browser when nobody has chosen one. */

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'Mac'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]

function firstMatch(table: readonly (readonly [RegExp, string])[], text: string): string {
  return table.find(([pattern]) => pattern.test(text))?.[1] ?? ''
}

export function isPhone(userAgent: string): boolean {
  return /iPhone|Android.*Mobile/.test(userAgent)
}

/** A guess by its name, for the icon. */
export function looksLikePhone(nickname: string): boolean {
  return /phone|pixel|galaxy|android/i.test(nickname)
}

/** "iPhone", "Phone", "Chrome on Linux". */
export function defaultNickname(userAgent: string): string {
  const system = firstMatch(SYSTEMS, userAgent)
  if (system === 'iPhone' || system === 'iPad') return system
  if (isPhone(userAgent)) return 'Phone'
  const browser = firstMatch(BROWSERS, userAgent)
  if (browser && system) return `${browser} on ${system}`
  return browser || system || 'Browser'
}

interface Named {
  readonly deviceId: string
  readonly nickname: string
  readonly online: boolean
}

/** "Chrome on Linux", "Chrome on Linux 2". */
export function numbered(name: string, number: number): string {
  return number > 1 ? `${name} ${number}` : name
}

/**
 * The number behind a name that nobody chose, so that no two devices are called the same: of two
 * that are here, the one with the greater id gives way, and takes the first number that is free.
 */
export function nameNumber(name: string, number: number, deviceId: string, others: readonly Named[]): number {
  const mine = numbered(name, number)
  if (!others.some((other) => other.nickname === mine && (!other.online || other.deviceId < deviceId))) return number
  const taken = new Set(others.map(({ nickname }) => nickname))
  let free = 2
  while (taken.has(numbered(name, free))) free += 1
  return free
}
