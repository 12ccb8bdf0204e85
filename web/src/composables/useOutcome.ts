import { useI18n } from 'vue-i18n'

import type { RequestView } from '../protocol/view'
import { useOwnReply } from './useOwnReply'
import { useTimes } from './useTimes'

/** How a request ended, in words. */
export function useOutcome() {
  const { t } = useI18n()
  const { clock } = useTimes()
  const { isOwnName } = useOwnReply()

  function expired(request: RequestView): string {
    const time = clock(request.changedMs || request.deadlineMs)
    return t('ended.expired', { time })
  }

  function withdrawn(request: RequestView): string {
    const agent = request.agent.name
    if (request.message) return t('ended.withdrawn_reason', { agent, reason: request.message })
    if (request.reason === 'agent_ended') return t('ended.agent_ended', { agent })
    return t('ended.withdrawn', { agent })
  }

  function dismissed(request: RequestView): string {
    const device = request.endedBy
    if (request.reply?.mine || isOwnName(device)) return t('ended.dismissed_here')
    return device ? t('ended.dismissed', { device }) : t('ended.dismissed_plain')
  }

  /** "" while it waits or when its answer says it all. */
  function outcome(request: RequestView): string {
    if (request.phase === 'expired') return expired(request)
    if (request.phase === 'cancelled') return withdrawn(request)
    if (request.phase === 'declined') return dismissed(request)
    return ''
  }

  return { outcome }
}
