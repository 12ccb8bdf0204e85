import { defineStore } from 'pinia'
import { shallowRef } from 'vue'

import type { ReplyContent } from '../protocol/draft'
import type { AckFacts } from '../protocol/events'
import { randomId } from '../protocol/ids'
import {
  acknowledge,
  add,
  disconnected,
  due,
  endUndo,
  markSending,
  releaseHeld,
  remove,
  restored,
  type Outbox,
  type OutboxEntry,
} from '../protocol/outbox'
import { headlineOf } from '../protocol/request'
import type { RequestFacts } from '../protocol/view'
import { resultJsonOf } from '../tools/asked'
import { keysBelow, readJson, writeJson } from './storage'

function isEntry(value: unknown): value is OutboxEntry {
  return typeof value === 'object' && value !== null && 'ref' in value && 'answers' in value
}

/** Replies on their way; each is kept in the browser until its ack. */
export const useOutbox = defineStore('outbox', () => {
  const entries = shallowRef<Outbox>([])
  let folder = ''

  function change(next: Outbox): void {
    const before = entries.value
    if (next === before) return
    for (const { ref } of before) {
      if (!next.some((entry) => entry.ref === ref)) writeJson(folder + ref, null)
    }
    for (const entry of next) if (!before.includes(entry) && !entry.isSecret) writeJson(folder + entry.ref, entry)
    entries.value = next
  }

  /** Takes over what an earlier load of the page could not send in this room. */
  function open(room: string): void {
    folder = `${room}.outbox.`
    const kept = keysBelow(folder)
      .map((ref) => readJson(folder + ref))
      .filter(isEntry)
      // What an older page kept lacks what it did not know.
      .map((entry) => ({ ...{ title: '', inputJson: '', resultJson: '', isSecret: false, attachments: [] }, ...entry }))
    entries.value = []
    change(restored(kept.sort((a, b) => a.createdMs - b.createdMs)))
  }

  function find(requestId: string): OutboxEntry | undefined {
    return entries.value.find((entry) => entry.requestId === requestId)
  }

  /** Queues a reply; it may be taken back during `undoMs`. */
  function put(request: RequestFacts, content: ReplyContent, undoMs: number, attachments: readonly string[] = []): void {
    const now = Date.now()
    const entry: OutboxEntry = {
      ...content,
      attachments,
      ref: randomId(),
      requestId: request.id,
      agentId: request.agent.id,
      kind: request.asked ? 'call' : request.kind,
      title: headlineOf(request),
      resultJson: resultJsonOf(request, content),
      isSecret: request.asked?.field === 'secret',
      createdMs: now,
      notBeforeMs: undoMs > 0 ? now + undoMs : 0,
      state: undoMs > 0 ? 'held' : 'queued',
      attempts: 0,
      code: '',
      message: '',
    }
    change(add(entries.value, entry))
  }

  /** Queues words for an agent, "" for all; what is attached belongs to the id that this returns. */
  function write(agentId: string, text: string, attachments: readonly string[] = []): string {
    const ref = randomId()
    const requestId = `text:${ref}`
    const entry: OutboxEntry = {
      ...{ title: '', action: 'answer', answers: [], inputJson: '', resultJson: '', isSecret: false, attempts: 0, code: '', message: '' },
      ...{ ref, requestId, agentId, kind: 'text', text, attachments },
      ...{ createdMs: Date.now(), notBeforeMs: 0, state: 'queued' },
    }
    change(add(entries.value, entry))
    return requestId
  }

  function takeBack(requestId: string): void {
    change(entries.value.filter((entry) => entry.requestId !== requestId))
  }

  function release(): void {
    change(releaseHeld(entries.value))
  }

  /** Entries whose undo time is over are on their way, with or without a connection. */
  function releaseDue(): void {
    change(endUndo(entries.value, Date.now()))
  }

  /** The entries that may go out now, marked as being sent. */
  function takeDue(isReady: (entry: OutboxEntry) => boolean = () => true): OutboxEntry[] {
    const now = due(entries.value, Date.now()).filter(isReady)
    change(now.reduce((outbox, { ref }) => markSending(outbox, ref), entries.value))
    return now
  }

  function connectionLost(): void {
    change(disconnected(entries.value))
  }

  /** Applies an ack and returns the entry it was about as it is now. */
  function acknowledged(ack: AckFacts): OutboxEntry | undefined {
    const before = entries.value.find(({ ref }) => ref === ack.ref)
    change(acknowledge(entries.value, ack, Date.now()))
    return entries.value.find(({ ref }) => ref === ack.ref) ?? before
  }

  function drop(ref: string): void {
    change(remove(entries.value, ref))
  }

  return { entries, open, find, put, write, takeBack, release, releaseDue, takeDue, connectionLost, acknowledged, drop }
})
