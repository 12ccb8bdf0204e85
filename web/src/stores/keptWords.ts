import { defineStore } from 'pinia'
import { computed, ref } from 'vue'

import { useAttachments } from './attachments'
import { useDrafts } from './drafts'
import { useRoom } from './room'

/** What was written, chosen or attached on a card and not sent. */
export const useKeptWords = defineStore('keptWords', () => {
  const room = useRoom()
  const drafts = useDrafts()
  const attachments = useAttachments()
  const leftId = ref('')

  function has(id: string): boolean {
    return drafts.has(id) || attachments.of(id).length > 0
  }

  /** The card that last gave its place to one that waits, for as long as there is something on it. */
  const left = computed(() => (has(leftId.value) ? (room.request(leftId.value) ?? null) : null))

  function leave(id: string): void {
    leftId.value = id
  }

  return { has, left, leave }
})
