/** What the page asks of the relay beside replies. Each has a `ref`; its ack says how it went. */
import { create, toBinary, type MessageInitShape } from '@bufbuild/protobuf'

import { WebsocketMessageSchema } from '../proto/lineup/v1/websocket_pb'

/** Makes the bytes of a command for the ref it goes out with. */
export type Command = (ref: string) => Uint8Array

function encode(message: MessageInitShape<typeof WebsocketMessageSchema>): Uint8Array {
  return toBinary(WebsocketMessageSchema, create(WebsocketMessageSchema, message))
}

export function extendDeadline(requestId: string, addSeconds: number): Command {
  return (ref) => encode({ Cmd: 'ExtendDeadline', ref, extendDeadline: { requestId, addSeconds: BigInt(addSeconds) } })
}
