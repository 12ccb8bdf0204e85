import { useI18n } from 'vue-i18n'

import type { CallView } from '../protocol/callLog'

const KNOWN: ReadonlySet<string> = new Set(['canvas', 'calculator', 'choice', 'multi_choice', 'confirm', 'input'])

/** Tool calls in the reader's words. */
export function useCallWords() {
  const { t } = useI18n()

  /** The page's own tools have names for people; others are what they call themselves. */
  function nameOf(tool: string): string {
    return KNOWN.has(tool) ? t(`tools.${tool}`) : tool
  }

  function titleOf({ name, action, applicationId }: CallView): string {
    return [applicationId || nameOf(name), action === name ? '' : action].filter(Boolean).join(' · ')
  }

  function stateOf({ phase, by, message, code }: CallView): string {
    switch (phase) {
      case 'succeeded':
        return by ? t('tools.done_on', { device: by }) : t('tools.done')
      case 'failed':
        return t('tools.failed', { reason: message || code })
      case 'cancelled':
        return t('tools.cancelled')
      case 'expired':
        return t('tools.expired')
      case 'taken':
        return by ? t('tools.taken', { device: by }) : t('tools.taken_elsewhere')
      case null:
        return t('tools.offered')
      default:
        return t('tools.running')
    }
  }

  return { nameOf, titleOf, stateOf }
}
