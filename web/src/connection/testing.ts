import { create, fromBinary, toBinary, type MessageInitShape } from '@bufbuild/protobuf'

import { WebsocketMessageSchema, type WebsocketMessage } from '../proto/lineup/v1/websocket_pb'
import type { SocketLike } from './socket'

type Init = MessageInitShape<typeof WebsocketMessageSchema>

/** A socket whose other end is the test. */
export class FakeSocket implements SocketLike {
  onopen: (() => void) | null = null
  onmessage: ((data: ArrayBuffer) => void) | null = null
  onclose: ((code: number) => void) | null = null
  readonly sent: WebsocketMessage[] = []
  isClosed = false
  /** What has not left yet. */
  bufferedBytes = 0

  send(bytes: Uint8Array): void {
    this.sent.push(fromBinary(WebsocketMessageSchema, bytes))
  }

  close(): void {
    this.isClosed = true
  }

  buffered(): number {
    return this.bufferedBytes
  }

  open(): void {
    this.onopen?.()
  }

  /** The relay says something. */
  say(message: Init): void {
    const bytes = toBinary(WebsocketMessageSchema, create(WebsocketMessageSchema, message))
    this.onmessage?.(bytes.slice().buffer)
  }

  /** The connection ends. */
  end(code: number): void {
    this.onclose?.(code)
  }

  last(command: string): WebsocketMessage | undefined {
    return this.sent.filter(({ Cmd }) => Cmd === command).at(-1)
  }

  count(command: string): number {
    return this.sent.filter(({ Cmd }) => Cmd === command).length
  }

  /** Open, logged in, told where the log stands. */
  welcome(server: { lastSeq?: bigint; logId?: string } = {}): void {
    this.open()
    this.say({ Cmd: 'UserLogin', UserLoginResponse: { success: true, clientId: 'c1' } })
    this.say({
      Cmd: 'ServerInfo',
      serverInfo: { version: '0.1.0', protocol: 1, lastSeq: 0n, logId: 'log-1', ...server },
    })
  }
}
