import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'

import type { IconName } from '../components/icon/icons'
import type { OutboxEntry } from '../protocol/outbox'
import { useUploadPercent } from './useUploadPercent'

/** How far something has come: a sign and its words. */
export interface DeliveryShown {
  readonly icon: IconName
  readonly tone: 'ok' | 'warn' | 'bad' | ''
  readonly text: string
}

/** How far what has no ack yet has come; null for what has one. */
export function useSendingState(sending: () => OutboxEntry | null): ComputedRef<DeliveryShown | null> {
  const i18n = useI18n()
  const { t } = i18n
  const percent = useUploadPercent(() => sending()?.ref)

  function onItsWay({ attachments: { length } }: OutboxEntry): string {
    if (percent.value !== null) return t('delivery.sending_percent', { n: percent.value })
    return length > 0 ? t('delivery.sending_files', { n: length }, length) : t('delivery.sending')
  }

  return computed(() => {
    const entry = sending()
    if (!entry) return null
    if (entry.state === 'sending') return { icon: 'clock', tone: '', text: onItsWay(entry) }
    if (entry.state === 'refused') {
      const reason = t(i18n.te(`refusal.${entry.code}`) ? `refusal.${entry.code}` : 'refusal.other')
      return { icon: 'warning', tone: 'bad', text: t('delivery.refused', { reason }) }
    }
    return { icon: 'clock', tone: 'warn', text: t(entry.code === 'log_unavailable' ? 'delivery.disk_full' : 'delivery.queued') }
  })
}
