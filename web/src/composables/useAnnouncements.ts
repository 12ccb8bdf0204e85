import { watch } from 'vue'
import { useI18n } from 'vue-i18n'

import { headlineOf } from '../protocol/request'
import type { RequestView } from '../protocol/view'
import { useAnnouncer } from '../stores/announcer'
import { useDock } from '../stores/dock'
import { useDrafts } from '../stores/drafts'
import { useOutbox } from '../stores/outbox'
import { useRoom } from '../stores/room'
import { useRefusal } from './useRefusal'

/** Tells screen readers about new cards and about answers that arrived. */
export function useAnnouncements(): void {
  const { t } = useI18n()
  const [dock, outbox, room, announcer] = [useDock(), useOutbox(), useRoom(), useAnnouncer()]
  const drafts = useDrafts()
  const { refusal } = useRefusal()

  function words(request: RequestView): string {
    const key = { question: 'new_question', report: 'new_report', approval: 'new_approval' }[request.kind]
    return t(`dock.${key}`, { agent: request.agent.name, text: headlineOf(request) })
  }

  watch(
    () => dock.waiting,
    (now, before) => {
      const known = new Set(before.map(({ id }) => id))
      const fresh = now.filter(({ id, reply }) => !known.has(id) && !reply)
      for (const request of fresh) {
        if (request.kind === 'approval') announcer.interrupt(words(request))
        else announcer.say(words(request))
      }
    },
  )
  watch(
    () => outbox.entries,
    (now, before) => {
      const left = before.filter(({ ref }) => !now.some((entry) => entry.ref === ref))
      const refused = left.map(({ requestId }) => drafts.problems[requestId]).find(Boolean)
      const isSent = left.some(({ requestId }) => room.request(requestId)?.reply?.mine)
      if (refused) announcer.interrupt(refusal(refused))
      else if (isSent) announcer.say(t('delivery.sent'))
      else if (now.some(({ state }) => state === 'queued')) announcer.say(t('delivery.queued'))
    },
  )
}
