/** What the page asks of the relay beside replies. Each has a `ref`; its ack says how it went. */
import { create, toBinary, type MessageInitShape } from '@bufbuild/protobuf'

import { WebsocketMessageSchema } from '../proto/lineup/v1/websocket_pb'

/** Makes the bytes of a command for the ref it goes out with. */
export type Command = (ref: string) => Uint8Array

function encode(message: MessageInitShape<typeof WebsocketMessageSchema>): Uint8Array {
  return toBinary(WebsocketMessageSchema, create(WebsocketMessageSchema, message))
}

/** Words for another device; they are not stored anywhere. */
export function sendChat(receiverClientId: string, content: string): Command {
  return (ref) => encode({ Cmd: 'SendChatMessage', ref, SendChatMessageRequest: { receiverClientId, content } })
}

/** `revision` is the one that was seen; the relay refuses a write that overtakes another. */
export function writeSetting(key: string, valueJson: string, revision: number): Command {
  return (ref) => encode({ Cmd: 'Settings', ref, settings: { key, valueJson, revision: BigInt(revision) } })
}

/** Tells the other devices; it has no ack. */
export function typing(requestId: string, nickname: string): Uint8Array {
  return encode({ Cmd: 'Typing', typing: { requestId, nickname } })
}

export function extendDeadline(requestId: string, addSeconds: number): Command {
  return (ref) => encode({ Cmd: 'ExtendDeadline', ref, extendDeadline: { requestId, addSeconds: BigInt(addSeconds) } })
}
