import { createI18n } from 'vue-i18n'

import { en } from './en'
import { zhCN } from './zhCN'

export type Locale = 'en' | 'zh-CN'

export const i18n = createI18n({
  legacy: false,
  locale: 'en',
  fallbackLocale: 'en',
  messages: { en, 'zh-CN': zhCN },
})

/** Switches the language of the page. */
export function setLocale(locale: Locale): void {
  i18n.global.locale.value = locale
  document.documentElement.lang = locale
}
