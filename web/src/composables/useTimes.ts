import { computed } from 'vue'
import { useI18n } from 'vue-i18n'

import { clockTime, countdown, dateTime } from '../protocol/format'

/** Times in the reader's language. */
export function useTimes() {
  const { t, locale } = useI18n()

  const tag = computed(() => locale.value)

  function clock(ms: number): string {
    return clockTime(ms, tag.value)
  }

  function full(ms: number): string {
    return dateTime(ms, tag.value)
  }

  /** "8:42", "1h 52m", "2d 3h". */
  function left(ms: number): string {
    const { days, hours, minutes, seconds } = countdown(ms)
    if (days > 0) return t('time.dh', { d: days, h: hours })
    if (hours > 0) return t('time.hm', { h: hours, m: minutes })
    return `${minutes}:${String(seconds).padStart(2, '0')}`
  }

  /** "just now", "4 min", "2 h", "3 d". */
  function ago(ms: number): string {
    const minutes = Math.floor(ms / 60_000)
    if (minutes < 1) return t('agents.now')
    if (minutes < 60) return t('time.minutes', { n: minutes })
    if (minutes < 48 * 60) return t('time.hours', { n: Math.floor(minutes / 60) })
    return t('time.days', { n: Math.floor(minutes / 1440) })
  }

  /** "12 s", "4 min"; "" for less than a second. */
  function lasted(ms: number): string {
    if (ms < 1_000) return ''
    return ms < 60_000 ? t('time.seconds', { n: Math.floor(ms / 1_000) }) : t('time.minutes', { n: Math.floor(ms / 60_000) })
  }

  return { tag, clock, full, left, ago, lasted }
}
