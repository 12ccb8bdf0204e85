import { computed, ref } from 'vue'

import { writeSetting } from '../protocol/commands'
import { useShared } from '../stores/shared'
import { useConnection } from './useConnection'

/** One setting of the room: read it as `parse` understands it, write it for all devices. */
export function useSharedSetting<T>(key: string, parse: (value: unknown) => T | null, initial: () => T) {
  const shared = useShared()
  const connection = useConnection()
  /** "stale": another device was faster, its value is shown now. */
  const problem = ref<'' | 'offline' | 'stale'>('')

  const value = computed(() => parse(shared.settings.get(key)?.value) ?? initial())

  async function save(next: T): Promise<void> {
    const revision = shared.settings.get(key)?.revision ?? 0
    const json = JSON.stringify(next)
    const ack = await connection.ask(writeSetting(key, json, revision))
    if (ack?.accepted) shared.apply(key, json, revision + 1)
    problem.value = ack ? (ack.accepted ? '' : 'stale') : 'offline'
  }

  return { value, problem, save }
}
