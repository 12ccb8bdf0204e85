/** The fold over texts and pictures. Applying the same event again changes nothing. */
import type { RoomEvent } from './events'
import type { ShownPicture, TextFacts, TextView } from './view'

/** What one text may have, by the relay's rule. */
export const MAX_CHARACTERS = 100_000

/** How many characters a text is too long; 0 if it fits. */
export function tooMany(text: string): number {
  return Math.max(0, text.trim().length - MAX_CHARACTERS)
}

/** What is known of a text after one more message about it. */
export function mergeText(before: TextView | undefined, facts: TextFacts): TextView | undefined {
  // Only that an agent has it, of a text that was never seen here.
  if (!before) return facts.received && saysNothing(facts) ? undefined : { ...facts, byHuman: !facts.received }
  const received = before.received || facts.received
  const receivedMs = before.receivedMs || facts.receivedMs
  const byHuman = before.byHuman || !facts.received
  if (received === before.received && receivedMs === before.receivedMs && byHuman === before.byHuman) return before
  return { ...before, received, receivedMs, byHuman }
}

function saysNothing({ content, pictures, files }: TextFacts): boolean {
  return !content && pictures.length + files.length === 0
}

/** A picture from the log stands where its neighbours do. */
export function mergePicture(
  before: ShownPicture | undefined,
  shown: ShownPicture,
  events: readonly RoomEvent[],
  index: number,
): ShownPicture {
  if (before) return before
  return shown.atMs > 0 ? shown : { ...shown, atMs: neighbourMs(events, index) }
}

/** A time for what has none of its own: that of the fact before it in the log, else after it. */
function neighbourMs(events: readonly RoomEvent[], index: number): number {
  const earlier = events.slice(0, index).reverse().map(timeOf).find(Boolean)
  return earlier ? earlier + 1 : (events.slice(index).map(timeOf).find(Boolean) ?? 0)
}

/** When it happened, as far as its message says; 0 if it does not. */
export function timeOf(event: RoomEvent): number {
  switch (event.type) {
    case 'request':
      return event.request.createdMs
    case 'reply':
      return event.reply.atMs || event.request.createdMs
    case 'state':
      return event.update.changedMs
    case 'text':
      return event.text.sentMs
    case 'picture':
      return event.shown.atMs
    case 'call':
      return event.call.atMs
    case 'callUpdate':
      return event.atMs
  }
}
