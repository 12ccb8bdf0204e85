import { useI18n } from 'vue-i18n'

import { NO_WRAP, parseQuickReplies, parseWrap } from '../protocol/quickReplies'
import { useSharedSetting } from './useSharedSetting'

/** The room's ready answers; without any of its own some in the reader's language. */
export function useQuickReplies() {
  const { t } = useI18n()
  return useSharedSetting('quick_replies', parseQuickReplies, () =>
    ['yes', 'go_on', 'wait', 'explain', 'commit'].map((key) => ({ text: t(`quick.default_${key}`), send: false })),
  )
}

/** What is put around written answers. */
export function useWrap() {
  return useSharedSetting('reply_wrap', parseWrap, () => NO_WRAP)
}
