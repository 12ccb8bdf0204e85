import { computed, ref, watch } from 'vue'

import { useRoom } from '../stores/room'
import { useSession } from '../stores/session'
import { useConnection } from './useConnection'

/** Reads older pages of the log, as far as somebody asks. */
export function useEarlier() {
  const [room, session, connection] = [useRoom(), useSession(), useConnection()]
  const isReading = ref(false)
  const isOnline = computed(() => session.connection === 'online')
  const mayRead = computed(() => room.isSynced && room.earlier.exists && isOnline.value)
  /** Of the last reading; another one or `stop` ends it. */
  let current = 0

  async function page(): Promise<boolean> {
    if (!mayRead.value) return false
    if (!room.earlier.isLoading) connection.loadEarlier()
    await new Promise<void>((resolve) => {
      const stop = watch(
        () => room.earlier.isLoading,
        (isLoading) => {
          if (isLoading) return
          resolve()
          queueMicrotask(() => {
            stop()
          })
        },
        { immediate: true, flush: 'sync' },
      )
    })
    return isOnline.value && !room.earlier.hasFailed
  }

  /** Reads until there is nothing more, it is enough, or so many pages were read. */
  async function read(isEnough: () => boolean, pages: number): Promise<void> {
    current += 1
    const mine = current
    isReading.value = true
    for (let count = 0; count < pages && mine === current && !isEnough(); count += 1) {
      if (!(await page())) break
      // A breath for the page between two of the log's.
      await new Promise((resolve) => setTimeout(resolve))
    }
    if (mine === current) isReading.value = false
  }

  function stop(): void {
    current += 1
    isReading.value = false
  }

  return { isReading, isOnline, mayRead, read, stop }
}
