import { defineStore } from 'pinia'
import { ref, shallowRef } from 'vue'

import type { SharedFacts } from '../protocol/events'

interface Setting {
  readonly value: unknown
  readonly revision: number
}

const SHOWN_MS = 6_000

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown
  } catch {
    return null
  }
}

/** What all devices of the room have in common: settings, and who is writing an answer right now. */
export const useShared = defineStore('shared', () => {
  const settings = shallowRef<ReadonlyMap<string, Setting>>(new Map())
  /** Nickname by request. */
  const typing = ref<Record<string, string>>({})
  const timers = new Map<string, ReturnType<typeof setTimeout>>()

  function apply(key: string, valueJson: string, revision: number): void {
    if (revision < (settings.value.get(key)?.revision ?? 0)) return
    settings.value = new Map(settings.value).set(key, { value: parsed(valueJson), revision })
  }

  function typed(requestId: string, nickname: string): void {
    clearTimeout(timers.get(requestId))
    typing.value = { ...typing.value, [requestId]: nickname }
    timers.set(
      requestId,
      setTimeout(() => {
        typing.value = { ...typing.value, [requestId]: '' }
      }, SHOWN_MS),
    )
  }

  function reset(): void {
    settings.value = new Map()
  }

  function told(facts: SharedFacts): void {
    if (facts.kind === 'setting') apply(facts.key, facts.valueJson, facts.revision)
    else typed(facts.requestId, facts.nickname)
  }

  return { settings, typing, apply, typed, told, reset }
})
