import { useI18n } from 'vue-i18n'

const KNOWN: ReadonlySet<string> = new Set([
  'already_answered',
  'not_corrected',
  'too_large',
  'invalid_argument',
  'unknown_request',
  'not_supported',
  'unknown_command',
  'attachments_lost',
])

/** Why something did not go out, in words. */
export function useRefusal() {
  const { t } = useI18n()

  function refusal({ code, message }: { code: string; message: string }): string {
    if (code === 'time_offline' || code === 'time_refused') return t(`more_time.${code}`)
    const reason = KNOWN.has(code) ? t(`refusal.${code}`) : message || t('refusal.other')
    return t('delivery.refused', { reason })
  }

  return { refusal }
}
