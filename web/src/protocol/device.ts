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
