import { computed, ref, shallowRef, type ShallowRef } from 'vue'

import { writeSetting } from '../protocol/commands'
import { useShared } from '../stores/shared'
import { useConnection } from './useConnection'

/** One setting of the room: read it as `parse` understands it, write it for all devices. */
export function useSharedSetting<T>(key: string, parse: (value: unknown) => T | null, initial: () => T) {
  const shared = useShared()
  const connection = useConnection()
  /** "stale": another device was faster, its value is shown now. */
  const problem = ref<'' | 'offline' | 'stale'>('')

  /** What this page wants it to be, until the relay has answered. */
  const wanted: ShallowRef<{ readonly value: T } | null> = shallowRef(null)
  let isWriting = false

  const value = computed(() => (wanted.value ? wanted.value.value : parse(shared.settings.get(key)?.value)) ?? initial())

  async function write(next: T): Promise<boolean> {
    const revision = shared.settings.get(key)?.revision ?? 0
    const json = JSON.stringify(next)
    const ack = await connection.ask(writeSetting(key, json, revision))
    if (ack?.accepted) shared.apply(key, json, revision + 1)
    problem.value = ack ? (ack.accepted ? '' : 'stale') : 'offline'
    return ack?.accepted ?? false
  }

  /** Changes that are made while one is on its way go out after it, as one: they are changes of the same value. */
  async function save(next: T): Promise<void> {
    wanted.value = { value: next }
    if (isWriting) return
    isWriting = true
    while (wanted.value) {
      const now: { readonly value: T } = wanted.value
      const isKept = await write(now.value)
      if (!isKept || wanted.value === now) wanted.value = null
    }
    isWriting = false
  }

  return { value, problem, save }
}
