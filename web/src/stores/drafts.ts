import { defineStore } from 'pinia'
import { ref } from 'vue'

import { EMPTY_DRAFT, isEmptyDraft, type Draft } from '../protocol/draft'
import { keysBelow, readJson, writeJson } from './storage'

function isDraft(value: unknown): value is Draft {
  return typeof value === 'object' && value !== null && 'questions' in value
}

function without<T>(record: Readonly<Record<string, T>>, key: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key))
}

/** What is typed and chosen on the cards; survives reloads, one key per card. */
export const useDrafts = defineStore('drafts', () => {
  const drafts = ref<Record<string, Draft>>({})
  /** Why a reply came back, by request. */
  const problems = ref<Record<string, { code: string; message: string }>>({})
  let folder = ''

  function open(room: string): void {
    folder = `${room}.draft.`
    drafts.value = {}
    problems.value = {}
    for (const id of keysBelow(folder)) {
      const kept = readJson(folder + id)
      if (isDraft(kept)) drafts.value[id] = kept
    }
  }

  function get(requestId: string): Draft {
    return drafts.value[requestId] ?? EMPTY_DRAFT
  }

  function has(requestId: string): boolean {
    return !isEmptyDraft(get(requestId))
  }

  function set(requestId: string, draft: Draft): void {
    if (isEmptyDraft(draft)) {
      clear(requestId)
      return
    }
    drafts.value = { ...drafts.value, [requestId]: draft }
    writeJson(folder + requestId, draft)
  }

  function clear(requestId: string): void {
    drafts.value = without(drafts.value, requestId)
    writeJson(folder + requestId, null)
  }

  function setProblem(requestId: string, problem: { code: string; message: string } | null): void {
    const rest = without(problems.value, requestId)
    problems.value = problem ? { ...rest, [requestId]: problem } : rest
  }

  return { drafts, problems, open, get, has, set, clear, setProblem }
})
