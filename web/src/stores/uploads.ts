import { defineStore } from 'pinia'
import { ref } from 'vue'

import { percentages, type Upload } from '../protocol/progress'

const LOOK_EVERY_MS = 250

/** How far what is being sent has come, in per cent by ref; only for what is large. */
export const useUploads = defineStore('uploads', () => {
  const percent = ref<Record<string, number>>({})
  let given: readonly Upload[] = []
  let timer: ReturnType<typeof setInterval> | undefined

  /** Something went into the socket; `buffered` is asked how much of all has not left yet. */
  function start(upload: Upload, buffered: () => number): void {
    given = [...given, upload]
    const look = () => {
      percent.value = percentages(given, buffered())
    }
    look()
    timer ??= setInterval(look, LOOK_EVERY_MS)
  }

  /** Its ack came. */
  function done(ref: string): void {
    given = given.filter((upload) => upload.ref !== ref)
    if (given.length === 0) stop()
  }

  /** The connection is gone: everything starts again. */
  function stop(): void {
    clearInterval(timer)
    timer = undefined
    given = []
    percent.value = {}
  }

  return { percent, start, done, stop }
})
