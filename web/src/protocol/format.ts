/** Numbers and times as people read them. Languages come in as BCP 47 tags. */

export interface Countdown {
  readonly days: number
  readonly hours: number
  readonly minutes: number
  readonly seconds: number
}

export function countdown(leftMs: number): Countdown {
  const total = Math.max(0, Math.ceil(leftMs / 1000))
  return {
    days: Math.floor(total / 86_400),
    hours: Math.floor(total / 3_600) % 24,
    minutes: Math.floor(total / 60) % 60,
    seconds: total % 60,
  }
}

export function clockTime(ms: number, locale: string): string {
  return new Intl.DateTimeFormat(locale, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(ms)
}

export function dateTime(ms: number, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', hourCycle: 'h23' }).format(ms)
}

/** Equal for two instants of the same local day. */
export function dayKey(ms: number): string {
  const date = new Date(ms)
  return [date.getFullYear(), date.getMonth(), date.getDate()].join('-')
}

/** When the local day of an instant begins, or one of the days after it. */
export function dayStart(ms: number, daysLater: number): number {
  const date = new Date(ms)
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + daysLater).getTime()
}

/** "today", "yesterday", "Monday 30 November" in the reader's language. */
export function dayLabel(ms: number, nowMs: number, locale: string): string {
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  const yesterday = new Date(nowMs)
  yesterday.setDate(yesterday.getDate() - 1)
  let label = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' }).format(ms)
  if (dayKey(ms) === dayKey(nowMs)) label = relative.format(0, 'day')
  else if (dayKey(ms) === dayKey(yesterday.getTime())) label = relative.format(-1, 'day')
  return label.charAt(0).toLocaleUpperCase(locale) + label.slice(1)
}
