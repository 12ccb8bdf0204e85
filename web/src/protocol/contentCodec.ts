/** The parts of messages that several codecs read and write. */
import type { MessageInitShape } from '@bufbuild/protobuf'

import type { McpResultContent, McpResultContentSchema } from '../proto/lineup/v1/content_pb'
import { ErrorCode } from '../proto/lineup/v1/error_pb'
import type { OutgoingAttachment } from './attachments'
import { base64Of, fileOf, pictureOf } from './pictures'
import type { FileView, PictureView } from './view'

/** "ALREADY_ANSWERED" → "already_answered"; "" for no error or a code of a newer relay. */
export function codeName(code: ErrorCode): string {
  if (code === ErrorCode.UNSPECIFIED) return ''
  return (ErrorCode[code] as string | undefined)?.toLowerCase() ?? `code_${code as number}`
}

export function picturesOf(contents: readonly McpResultContent[]): PictureView[] {
  return contents.flatMap(({ image, embeddedResource: file }) => {
    if (image) return pictureOf(image.mimeType, image.data, '')
    if (file) return pictureOf(file.mimeType, base64Of(file.data), file.uri)
    return []
  })
}

export function filesOf(contents: readonly McpResultContent[]): FileView[] {
  return contents.flatMap(({ audio, embeddedResource: file }) => {
    if (audio) return fileOf(audio.mimeType, audio.data, '')
    if (file) return fileOf(file.mimeType, base64Of(file.data), file.uri)
    return []
  })
}

export function contentOf({ kind, name, mime, bytes }: OutgoingAttachment): MessageInitShape<typeof McpResultContentSchema> {
  // The bridge and agents expect a type without parameters.
  const mimeType = mime.split(';')[0] ?? mime
  if (kind === 'image') return { type: 2, image: { type: 'image', data: base64Of(bytes), mimeType } }
  if (kind === 'audio') return { type: 3, audio: { type: 'audio', data: base64Of(bytes), mimeType } }
  return { type: 4, embeddedResource: { type: 'embedded_resource', uri: name, mimeType, data: bytes } }
}
