import { defineStore } from 'pinia'
import { shallowRef } from 'vue'

import type { Drawing } from '../tools/canvas/actions'
import { deleteBlobs, readBlobs, writeBlob } from './blobs'
import { useSession } from './session'

/** A canvas that is open in this tab. */
export interface OpenCanvas {
  readonly id: string
  readonly agentId: string
  readonly openedMs: number
  /** Tells it from the others of this tab. */
  readonly number: number
  readonly drawing: Drawing
}

interface Kept {
  readonly tabId: string
  readonly canvas: OpenCanvas
}

const KEPT_MS = 24 * 3_600_000

function isKept(value: unknown): value is Kept {
  return typeof value === 'object' && value !== null && 'tabId' in value && 'canvas' in value
}

/** What an older page kept has none. */
function numberOf({ number }: Partial<OpenCanvas>): number {
  return number ?? 1
}

/** The canvases of this tab; they survive its reloads. */
export const useCanvases = defineStore('canvases', () => {
  const session = useSession()
  const all = shallowRef<ReadonlyMap<string, OpenCanvas>>(new Map())
  let folder = ''

  async function open(room: string): Promise<void> {
    folder = `canvas.${room}.`
    all.value = new Map()
    const kept = (await readBlobs(folder)).filter(isKept)
    const oldest = Date.now() - KEPT_MS
    for (const { tabId, canvas } of kept) {
      if (canvas.openedMs < oldest) void deleteBlobs(folder + canvas.id)
      else if (tabId === session.tabId && !all.value.has(canvas.id)) all.value = new Map(all.value).set(canvas.id, { ...canvas, number: numberOf(canvas) })
    }
  }

  function put(canvas: OpenCanvas): void {
    all.value = new Map(all.value).set(canvas.id, canvas)
    void writeBlob(folder + canvas.id, { tabId: session.tabId, canvas } satisfies Kept)
  }

  /** Changes the drawing; the canvas has to be open. */
  function change(id: string, next: (drawing: Drawing) => Drawing): void {
    const canvas = all.value.get(id)
    if (!canvas) return
    const drawing = next(canvas.drawing)
    if (drawing !== canvas.drawing) put({ ...canvas, drawing })
  }

  function close(id: string): void {
    const rest = new Map(all.value)
    if (!rest.delete(id)) return
    all.value = rest
    void deleteBlobs(folder + id)
  }

  return { all, open, put, change, close }
})
