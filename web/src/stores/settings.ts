import { defineStore } from 'pinia'
import { computed, ref, watch } from 'vue'

import { DEFAULT_ATTENTION, type AttentionSettings } from '../protocol/attentionSettings'
import { defaultNickname, nameNumber, numbered } from '../protocol/device'
import type { DeviceView } from '../protocol/view'
import { readJson, writeJson } from './storage'

export type Language = 'auto' | 'en' | 'zh-CN'
export type Theme = 'auto' | 'light' | 'dark'

interface Kept {
  readonly language: Language
  readonly theme: Theme
  readonly nickname: string
  /** Behind the name that nobody chose; other devices have the same browser. */
  readonly nameNumber: number
  readonly undoSeconds: number
  readonly attention: AttentionSettings
  /** Single keys answer and move. */
  readonly hasKeys: boolean
}

const DEFAULTS: Kept = { language: 'auto', theme: 'auto', nickname: '', nameNumber: 1, undoSeconds: 3, attention: DEFAULT_ATTENTION, hasKeys: true }
const KEY = 'settings'

function systemLanguage(languages: readonly string[]): 'en' | 'zh-CN' {
  const known = languages.find((language) => /^(?:en|zh)\b/i.test(language))
  return known?.toLowerCase().startsWith('zh') ? 'zh-CN' : 'en'
}

/** What this browser's user has chosen here. */
export const useSettings = defineStore('settings', () => {
  const kept = { ...DEFAULTS, ...(readJson(KEY) as Partial<Kept> | null) }
  const language = ref<Language>(kept.language)
  const theme = ref<Theme>(kept.theme)
  const ownNickname = ref(kept.nickname)
  const undoSeconds = ref(kept.undoSeconds)
  const attention = ref<AttentionSettings>({ ...DEFAULT_ATTENTION, ...kept.attention })

  const hasKeys = ref(kept.hasKeys)

  const number = ref(kept.nameNumber)
  /** The name for whoever chooses none. */
  const suggested = computed(() => numbered(defaultNickname(navigator.userAgent), number.value))
  const nickname = computed(() => ownNickname.value.trim() || suggested.value)
  const locale = computed(() =>
    language.value === 'auto' ? systemLanguage(navigator.languages) : language.value,
  )

  watch([language, theme, ownNickname, number, undoSeconds, attention, hasKeys], () => {
    writeJson(KEY, {
      language: language.value,
      theme: theme.value,
      nickname: ownNickname.value,
      nameNumber: number.value,
      undoSeconds: undoSeconds.value,
      attention: attention.value,
      hasKeys: hasKeys.value,
    } satisfies Kept)
  })

  /** Tells this device apart from others whose name nobody chose either. */
  function tellApart(deviceId: string, others: readonly DeviceView[]): void {
    if (!ownNickname.value.trim()) number.value = nameNumber(defaultNickname(navigator.userAgent), number.value, deviceId, others)
  }

  return { language, theme, ownNickname, undoSeconds, attention, hasKeys, suggested, nickname, locale, tellApart }
})
