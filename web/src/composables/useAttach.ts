import { kindOf, nameFor, type Attachment, type Refusal } from '../protocol/attachments'
import { randomId } from '../protocol/ids'
import { useAttachments } from '../stores/attachments'
import { useSession } from '../stores/session'

async function bytesOf(blob: Blob): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await blob.arrayBuffer())
  } catch {
    // A folder, or a file that went away.
    return new Uint8Array()
  }
}

/** The files that were chosen last; never rejects. */
let before: Promise<unknown> = Promise.resolve()

/** Takes files for a card or a text: pictures get smaller, what does not fit is refused with a reason. */
export function useAttach() {
  const attachments = useAttachments()
  const session = useSession()

  async function attachmentOf(file: File, requestId: string): Promise<Attachment> {
    const kind = kindOf(file.type)
    const mime = file.type || 'application/octet-stream'
    const whole = { mime, bytes: await bytesOf(file) }
    const reduced = kind === 'image' ? await (await import('./reduceImage')).reduceImage(file) : null
    const body = reduced ? { mime: reduced.type, bytes: await bytesOf(reduced) } : whole
    const present = attachments.of(requestId)
    return {
      id: randomId(),
      name: file.name || nameFor(kind, mime, present.length + 1),
      kind,
      ...body,
      original: reduced ? whole : null,
      sendOriginal: false,
      // No two are of the same millisecond: by it they are in order after a reload.
      atMs: Math.max(Date.now(), (present.at(-1)?.atMs ?? 0) + 1),
    }
  }

  async function takeNow(requestId: string, files: readonly File[]): Promise<void> {
    const refusals: Refusal[] = []
    for (const file of files) {
      const attachment = await attachmentOf(file, requestId)
      const refusal = attachments.offer(requestId, attachment, session.limits)
      if (refusal) refusals.push(refusal)
    }
    attachments.refuse(requestId, refusals)
  }

  /** In their turn: a picture takes longer than a text that was chosen after it. */
  async function take(requestId: string, files: readonly File[]): Promise<void> {
    const turn = before.then(async () => takeNow(requestId, files))
    before = turn.catch(() => undefined)
    return turn
  }

  return { take }
}
