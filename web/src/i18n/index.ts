import { createI18n } from 'vue-i18n'

import { compiled, type Compiled } from './compile'
import { en, type Messages } from './en'

export type Locale = 'en' | 'zh-CN'

export const i18n = createI18n({
  legacy: false,
  locale: 'en',
  fallbackLocale: 'en',
  messages: { en: compiled(en) } as { en: Compiled<typeof en>; 'zh-CN': Compiled<Messages> },
})

/** Loads the English texts of what comes after the first card; the other languages are whole. */
async function loadLate(): Promise<void> {
  const { late } = await import('./en/late')
  i18n.global.mergeLocaleMessage('en', compiled(late))
}

/** A part of the page together with its texts. */
export function withTexts<T>(load: () => Promise<T>): () => Promise<T> {
  return async () => {
    await loadLate()
    return load()
  }
}

let wanted: Locale = 'en'

/** Loads a language that is not English; without a connection the page stays as it is. */
export async function loadLocale(locale: Locale): Promise<boolean> {
  if (locale === 'en' || i18n.global.availableLocales.includes(locale)) return true
  try {
    const { zhCN } = await import('./zhCN')
    i18n.global.setLocaleMessage(locale, compiled(zhCN))
    return true
  } catch {
    return false
  }
}

/** Switches the language of the page. */
export async function setLocale(locale: Locale): Promise<void> {
  wanted = locale
  if (!(await loadLocale(locale)) || wanted !== locale) return
  i18n.global.locale.value = locale
  document.documentElement.lang = locale
}
