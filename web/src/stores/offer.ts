import { defineStore } from 'pinia'
import { shallowRef } from 'vue'

import type { RefusedTool } from '../protocol/tools'

/** Which of this page's tools the room does not offer, and why. */
export const useOffer = defineStore('offer', () => {
  const refused = shallowRef<readonly RefusedTool[]>([])

  /** Why a tool, or one of a MiniApp, is not offered; "" if it is. */
  function problemOf(name: string, applicationId: string): string {
    const found = refused.value.find((one) => one.applicationId === applicationId && (applicationId !== '' || one.name === name))
    return found?.message ?? ''
  }

  return { refused, problemOf }
})
