/** What the page asks of the relay beside replies. Each has a `ref`; its ack says how it went. */
import { create, toBinary, type MessageInitShape } from '@bufbuild/protobuf'

import { PairingState } from '../proto/lineup/v1/client_pb'
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

/** Asks for a code by which one more device joins; the answer is a `pairing` with the same ref. */
export function offerPairing(): Command {
  return (ref) => encode({ Cmd: 'Pairing', ref, pairing: {} })
}

/** Lets the device in that presented the code, or turns it away; also withdraws a code. It has no ack. */
export function decidePairing(letIn: boolean): Uint8Array {
  return encode({ Cmd: 'Pairing', pairing: { state: letIn ? PairingState.JOINED : PairingState.REFUSED } })
}

export function extendDeadline(requestId: string, addSeconds: number): Command {
  return (ref) => encode({ Cmd: 'ExtendDeadline', ref, extendDeadline: { requestId, addSeconds: BigInt(addSeconds) } })
}
