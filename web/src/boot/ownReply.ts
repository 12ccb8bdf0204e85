import type { OutgoingAttachment } from '../protocol/attachments'
import type { AckFacts, RoomEvent } from '../protocol/events'
import type { OutboxEntry } from '../protocol/outbox'
import type { RequestView } from '../protocol/view'

/** Lives as long as the page: the bubble shows it. */
function urlOf(type: string, bytes: Uint8Array<ArrayBuffer>): string {
  return URL.createObjectURL(new Blob([bytes], { type }))
}

const LATE: ReadonlySet<string> = new Set(['kept_late', 'kept_unknown'])

/** The ack of an own reply as the events that the other devices see. */
export function ownReply(
  request: RequestView,
  entry: OutboxEntry,
  ack: AckFacts,
  attached: readonly OutgoingAttachment[],
  nickname: string,
  nowMs: number,
): RoomEvent[] {
  const reply: RoomEvent = {
    type: 'reply',
    seq: ack.seq,
    request,
    reply: {
      action: entry.action,
      // A secret is gone from this page as soon as it is sent.
      answers: entry.isSecret ? [] : entry.answers,
      text: entry.isSecret ? '' : entry.text,
      pictures: attached.filter(({ kind }) => kind === 'image').map(({ mime, bytes }) => ({ mime, src: urlOf(mime, bytes) })),
      files: attached.flatMap(({ kind, name, mime, bytes }) =>
        kind === 'image' ? [] : [{ kind, name, mime, src: urlOf(kind === 'audio' ? mime : 'application/octet-stream', bytes) }],
      ),
      by: nickname,
      mine: true,
      atMs: nowMs,
    },
  }
  // The ack says "too late" before anything else did.
  if (!LATE.has(ack.code) || request.phase !== 'pending') return [reply]
  return [{ type: 'state', seq: 0, update: lateEnd(request.id, nowMs) }, reply]
}

function lateEnd(requestId: string, nowMs: number) {
  return {
    requestId,
    phase: 'expired' as const,
    reason: 'expired',
    by: '',
    deadlineMs: 0,
    late: true,
    received: false,
    agentGone: false,
    message: '',
    changedMs: nowMs,
  }
}

/** The message of a reply or a picture has no time of its own: it is now, if it was not read from the log. */
export function stamped(event: RoomEvent, nowMs: number): RoomEvent {
  if (event.type === 'text' && event.text.received) return { ...event, text: { ...event.text, receivedMs: nowMs } }
  if (event.type === 'picture') return { ...event, shown: { ...event.shown, atMs: nowMs } }
  if (event.type !== 'reply' || event.reply.atMs > 0) return event
  return { ...event, reply: { ...event.reply, atMs: nowMs } }
}
