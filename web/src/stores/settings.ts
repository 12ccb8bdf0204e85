import { defineStore } from 'pinia'
import { computed, ref, watch } from 'vue'

import { DEFAULT_ATTENTION, type AttentionSettings } from '../protocol/attentionSettings'
import { defaultNickname } from '../protocol/device'
import { readJson, writeJson } from './storage'

export type Language = 'auto' | 'en' | 'zh-CN'
export type Theme = 'auto' | 'light' | 'dark'

interface Kept {
  readonly language: Language
  readonly theme: Theme
  readonly nickname: string
  readonly undoSeconds: number
  readonly attention: AttentionSettings
  /** Single keys answer and move. */
  readonly hasKeys: boolean
}

const DEFAULTS: Kept = { language: 'auto', theme: 'auto', nickname: '', undoSeconds: 3, attention: DEFAULT_ATTENTION, hasKeys: true }
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

  const nickname = computed(() => ownNickname.value.trim() || defaultNickname(navigator.userAgent))
  const locale = computed(() =>
    language.value === 'auto' ? systemLanguage(navigator.languages) : language.value,
  )

  watch([language, theme, ownNickname, undoSeconds, attention, hasKeys], () => {
    writeJson(KEY, {
      language: language.value,
      theme: theme.value,
      nickname: ownNickname.value,
      undoSeconds: undoSeconds.value,
      attention: attention.value,
      hasKeys: hasKeys.value,
    } satisfies Kept)
  })

  return { language, theme, ownNickname, undoSeconds, attention, hasKeys, nickname, locale }
})
