/**
 * JSON envelopes (docs/protocol.md): the outer form is checked, payloads are for their readers.
 * Samples are in tests/golden/envelope.
 */

export interface Envelope {
  readonly id: string
  readonly type: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** Why a text is no envelope; the shape of the payload of `error`. */
interface EnvelopeFault {
  readonly code: 'invalid_argument' | 'too_large'
  readonly message: string
  readonly field: '' | 'v' | 'id' | 'type' | 'payload'
  readonly ref: string
}

/** Characters and not halves of them: emojis count once. */
const ID = /^\P{Surrogate}{1,128}$/su
const LONG_ID = /^\P{Surrogate}{129,}$/su

/** Reads one envelope; it never throws. */
export function parseEnvelope(
  text: string,
): { readonly envelope: Envelope } | { readonly fault: EnvelopeFault } {
  const tree = jsonOf(text)
  if (!isObject(tree)) return fault('', 'not a JSON object')
  const { v, type, payload } = tree
  const id = typeof tree.id === 'string' ? tree.id : ''
  const ref = ID.test(id) ? id : ''
  if (v !== 1) return fault('v', 'must be 1', ref)
  if (LONG_ID.test(id)) return fault('id', 'has more than 128 characters', '', 'too_large')
  if (!ref) return fault('id', 'must be a string')
  if (typeof type !== 'string') return fault('type', 'must be a string', ref)
  if (!isObject(payload)) return fault('payload', 'must be an object', ref)
  return { envelope: { id, type, payload } }
}

/** Writes one envelope. */
export function encodeEnvelope({ id, type, payload }: Envelope): string {
  return JSON.stringify({ v: 1, id, type, payload })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function fault(
  field: EnvelopeFault['field'],
  message: string,
  ref = '',
  code: EnvelopeFault['code'] = 'invalid_argument',
): { readonly fault: EnvelopeFault } {
  return { fault: { code, message, field, ref } }
}
