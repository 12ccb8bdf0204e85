import { computed, ref, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'

import { useSendingState, type DeliveryShown } from '../../composables/useSendingState'
import { useOutbox } from '../../stores/outbox'
import { useRoom } from '../../stores/room'

interface Told {
  readonly requestId: string
  readonly words: string
  /** Texts that there were before: the relay gives the new one an id of its own. */
  readonly earlier: ReadonlySet<string>
}

/** Tells an agent something, and how far that has come: on its way, at the relay, with the agent. */
export function useTelling(agentId: () => string, agent: () => string) {
  const outbox = useOutbox()
  const room = useRoom()
  const { t } = useI18n()
  const told = ref<Told | null>(null)
  const sending = computed(() => (told.value && outbox.find(told.value.requestId)) ?? null)
  const onItsWay = useSendingState(() => sending.value)

  function isReceived({ words, earlier }: Told): boolean {
    return [...room.state.texts.values()].some(
      (text) => text.received && text.agentId === agentId() && text.content === words && !earlier.has(text.id),
    )
  }

  const delivery: ComputedRef<DeliveryShown | null> = computed(() => {
    if (!told.value || onItsWay.value) return onItsWay.value
    if (!isReceived(told.value)) return { icon: 'check', tone: '', text: t('message.waits', { agent: agent() }) }
    return { icon: 'checks', tone: 'ok', text: t('message.has', { agent: agent() }) }
  })
  /** What was refused can be said again. */
  const mayTell = computed(() => !delivery.value || sending.value?.state === 'refused')

  function tell(words: string): void {
    const earlier = new Set(room.state.texts.keys())
    told.value = { words, earlier, requestId: outbox.write(agentId(), words) }
  }

  /** There is something new to tell. */
  function forget(): void {
    told.value = null
  }

  return { delivery, mayTell, tell, forget }
}
