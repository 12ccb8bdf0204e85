import type { FileView, PictureView } from './view'

const PICTURE = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/
const BASE64 = /^[A-Za-z0-9+/=\s]+$/
const RELAY_FILE = /^files\/[\w./~%?=&-]+$/

/** A picture from base64 data or from a link to the relay's own files; nothing else is loaded. */
export function pictureOf(mime: string, data: string, uri: string): PictureView[] {
  if (!PICTURE.test(mime)) return []
  if (data && BASE64.test(data)) return [{ src: `data:${mime};base64,${data}`, mime }]
  if (RELAY_FILE.test(uri) && !uri.includes('..')) return [{ src: uri, mime }]
  return []
}

/** A recording that can be played or a file that can be opened; pictures are `pictureOf`'s. */
export function fileOf(mime: string, data: string, uri: string): FileView[] {
  if (PICTURE.test(mime)) return []
  const kind = mime.startsWith('audio/') ? 'audio' : 'file'
  const isLink = RELAY_FILE.test(uri) && !uri.includes('..')
  const name = isLink ? '' : (uri.split('/').at(-1) ?? '')
  if (isLink) return [{ kind, name, mime, src: uri }]
  // A browser would run what a page of another type contains.
  const type = kind === 'audio' ? mime.split(';')[0] : 'application/octet-stream'
  return data && BASE64.test(data) ? [{ kind, name, mime, src: `data:${type};base64,${data}` }] : []
}

/** Base64 of bytes, in pieces that the call stack can hold. */
export function base64Of(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  }
  return binary ? btoa(binary) : ''
}
