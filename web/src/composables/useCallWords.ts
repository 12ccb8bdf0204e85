import { useI18n } from 'vue-i18n'

import type { CallView } from '../protocol/callLog'
import { argumentsOf } from '../protocol/tools'

const KNOWN: ReadonlySet<string> = new Set(['canvas', 'calculator', 'choice', 'multi_choice', 'confirm', 'input'])

const SHOWN = 200

/** Tool calls in the reader's words. */
export function useCallWords() {
  const { t } = useI18n()

  /** The page's own tools have names for people; others are what they call themselves. */
  function nameOf(tool: string): string {
    return KNOWN.has(tool) ? t(`tools.${tool}`) : tool
  }

  /** Its result stands in a line of its own. */
  function isCalculation({ name, applicationId, resultJson }: CallView): boolean {
    return name === 'calculator' && !applicationId && resultJson !== ''
  }

  /** `app` is the title of the MiniApp that was called; "" for none. */
  function titleOf({ name, action }: CallView, app: string): string {
    return [app || nameOf(name), action === name ? '' : action].filter(Boolean).join(' · ')
  }

  function doneOf(call: CallView): string {
    const { by, resultJson } = call
    const message = isCalculation(call) ? '' : argumentsOf(resultJson)?.message
    if (typeof message === 'string' && message) return t('tools.done_with', { result: message.slice(0, SHOWN) })
    return by ? t('tools.done_on', { device: by }) : t('tools.done')
  }

  function stateOf(call: CallView): string {
    const { phase, by, message, code } = call
    switch (phase) {
      case 'succeeded':
        return doneOf(call)
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

  return { nameOf, titleOf, stateOf, isCalculation }
}
