/** What goes out beside the words of a reply: pictures, recordings, files, and how much of it may. */

export type AttachmentKind = 'image' | 'audio' | 'file'

interface Body {
  readonly mime: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

export interface Attachment extends Body {
  readonly id: string
  readonly name: string
  readonly kind: AttachmentKind
  /** The picture before it was reduced; null if it is as it was. */
  readonly original: Body | null
  readonly sendOriginal: boolean
  /** When it was added; page clock, Unix ms. */
  readonly atMs: number
}

/** What a reply carries. */
export interface OutgoingAttachment extends Body {
  readonly name: string
  readonly kind: AttachmentKind
}

/** What one message may be, by the relay's word. */
export interface Limits {
  readonly messageBytes: number
  readonly contentsPerMessage: number
}

export const DEFAULT_LIMITS: Limits = { messageBytes: 31 * 1024 * 1024, contentsPerMessage: 20 }

export interface Refusal {
  readonly code: 'too_large' | 'too_many' | 'bad_type'
  readonly name: string
  readonly size: number
  readonly limit: number
}

/** Pictures are reduced to this long side, in pixels: models read no more of them. */
const LONG_SIDE = 1568
/** Room in a message for the words and the names. */
const RESERVED_BYTES = 512 * 1024

export function kindOf(mime: string): AttachmentKind {
  if (/^image\/(?!svg)/.test(mime)) return 'image'
  return mime.startsWith('audio/') ? 'audio' : 'file'
}

/** The size of a picture whose long side fits; never larger than it was. */
export function fitWithin(width: number, height: number): { width: number; height: number } {
  const scale = Math.min(1, LONG_SIDE / Math.max(width, height, 1))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** What is sent of an attachment. */
export function outgoingOf({ name, kind, mime, bytes, original, sendOriginal }: Attachment): OutgoingAttachment {
  const body = sendOriginal && original ? original : { mime, bytes }
  return { name, kind, ...body }
}

/** Pictures and recordings travel as base64. */
function wireBytes({ kind, bytes }: OutgoingAttachment): number {
  return kind === 'file' ? bytes.length : Math.ceil(bytes.length / 3) * 4
}

/** Why one more does not fit; null if it does. */
export function refusalOf(
  present: readonly Attachment[],
  added: OutgoingAttachment,
  limits: Limits,
): Refusal | null {
  const size = added.bytes.length
  const refuse = (code: Refusal['code'], limit: number): Refusal => ({ code, name: added.name, size, limit })
  if (size === 0) return refuse('bad_type', 0)
  // One content is for the words.
  const most = limits.contentsPerMessage - 1
  if (present.length >= most) return refuse('too_many', most)
  const used = present.map(outgoingOf).reduce((sum, one) => sum + wireBytes(one), 0)
  const room = limits.messageBytes - RESERVED_BYTES
  if (used + wireBytes(added) > room) return refuse('too_large', roomFor(added.kind, room))
  return null
}

/** The limit in the bytes of the file itself. */
function roomFor(kind: AttachmentKind, room: number): number {
  return kind === 'file' ? room : Math.floor((room / 4) * 3)
}

/** "3.1 MB" in the reader's language. */
export function sizeText(bytes: number, locale: string): string {
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, 'kilobyte'] : [bytes / 1e6, 'megabyte']
  const maximumFractionDigits = value < 10 ? 1 : 0
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits }).format(value)
}

/** A name for what has none: pasted pictures, recordings. */
export function nameFor(kind: AttachmentKind, mime: string, index: number): string {
  const ending = /^[a-z]+\/(?:x-)?([a-z0-9]+)/.exec(mime)?.[1] ?? 'bin'
  return `${kind}-${index}.${ending === 'jpeg' ? 'jpg' : ending}`
}
