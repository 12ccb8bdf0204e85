const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** A random id of 32 characters. getRandomValues also exists on plain http; randomUUID does not. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return Array.from(bytes, (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('')
}
