import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'

import { outgoingOf, refusalOf, type Attachment, type Limits, type Refusal } from '../protocol/attachments'
import { deleteBlobs, readBlobs, writeBlob } from './blobs'

interface Kept {
  readonly requestId: string
  readonly attachment: Attachment
}

function isKept(value: unknown): value is Kept {
  return typeof value === 'object' && value !== null && 'requestId' in value && 'attachment' in value
}

const NONE: readonly Attachment[] = []

/** What is attached to the cards and to texts and not sent yet; survives reloads. */
export const useAttachments = defineStore('attachments', () => {
  const byRequest = shallowRef<Readonly<Record<string, readonly Attachment[]>>>({})
  const refusals = ref<Record<string, readonly Refusal[]>>({})
  /** What an earlier load of the page left has been read. */
  const isLoaded = ref(false)
  /** The cards and texts that have something attached. */
  const ids = computed(() => Object.keys(byRequest.value).filter((id) => of(id).length > 0))
  let folder = ''

  function set(requestId: string, attachments: readonly Attachment[]): void {
    byRequest.value = { ...byRequest.value, [requestId]: attachments }
  }

  function of(requestId: string): readonly Attachment[] {
    return byRequest.value[requestId] ?? NONE
  }

  async function open(room: string): Promise<void> {
    folder = `${room}.`
    byRequest.value = {}
    isLoaded.value = false
    const kept = (await readBlobs(folder)).filter(isKept)
    for (const { requestId, attachment } of kept.sort((a, b) => a.attachment.atMs - b.attachment.atMs)) {
      if (!of(requestId).some(({ id }) => id === attachment.id)) set(requestId, [...of(requestId), attachment])
    }
    isLoaded.value = true
  }

  function keep(requestId: string, attachment: Attachment): void {
    void writeBlob(`${folder}${requestId}.${attachment.id}`, { requestId, attachment } satisfies Kept)
  }

  function add(requestId: string, attachment: Attachment): void {
    set(requestId, [...of(requestId), attachment])
    keep(requestId, attachment)
  }

  /** Adds it if it fits beside what is there; else says why not. */
  function offer(requestId: string, attachment: Attachment, limits: Limits): Refusal | null {
    const refusal = refusalOf(of(requestId), outgoingOf(attachment), limits)
    if (!refusal) add(requestId, attachment)
    return refusal
  }

  /** Hands everything over, from a draft to what goes out. */
  function move(from: string, to: string): void {
    for (const attachment of of(from)) add(to, attachment)
    clear(from)
  }

  function remove(requestId: string, id: string): void {
    set(requestId, of(requestId).filter((attachment) => attachment.id !== id))
    void deleteBlobs(`${folder}${requestId}.${id}`)
  }

  function sendOriginals(requestId: string, sendOriginal: boolean): void {
    const next = of(requestId).map((attachment) => ({ ...attachment, sendOriginal }))
    set(requestId, next)
    for (const attachment of next) keep(requestId, attachment)
  }

  function clear(requestId: string): void {
    refuse(requestId, [])
    if (of(requestId).length === 0) return
    set(requestId, NONE)
    void deleteBlobs(`${folder}${requestId}.`)
  }

  function refuse(requestId: string, reasons: readonly Refusal[]): void {
    refusals.value = { ...refusals.value, [requestId]: reasons }
  }

  return { refusals, isLoaded, ids, open, of, offer, move, remove, sendOriginals, clear, refuse }
})
