import { defineStore } from 'pinia'
import { ref, shallowRef } from 'vue'

/** A tool that is in use on this page. */
export interface OpenTool {
  readonly id: string
  readonly kind: 'canvas' | 'miniapp'
  /** "" for the usual name of its kind. */
  readonly title: string
  /** Which of its kind; 0 where the title says it. */
  readonly number: number
  /** "800 × 600", "" for what has no size of its own. */
  readonly size: string
  /** Who opened it; "" for the human. */
  readonly agentId: string
  /** It is to be started anew before it does anything. */
  readonly isStopped?: boolean
}

/** What is in use here; the tools themselves are loaded later than this. */
export const useOpenTools = defineStore('openTools', () => {
  const list = shallowRef<readonly OpenTool[]>([])
  /** What an earlier load of the page left open is known. */
  const isReady = ref(false)

  return { list, isReady }
})
