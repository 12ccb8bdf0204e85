import { backoffMs } from './backoff'
import type { OpenSocket, SocketLike } from './socket'

/** From the start of a connection to the end of its login. */
const CONNECT_TIMEOUT_MS = 5_000

export interface LinkHandlers {
  readonly connecting: () => void
  readonly opened: () => void
  readonly received: (bytes: Uint8Array) => void
  /** The connection is gone; false keeps the link from coming back by itself. */
  readonly closed: (code: number) => boolean
  readonly waiting: (ms: number) => void
}

/**
 * One socket at a time, brought back with growing pauses. The owner calls `ready` after its login:
 * before that, 5 s are the limit, and only that makes the next pause short again.
 */
export class Link {
  readonly #open: OpenSocket
  readonly #handlers: LinkHandlers
  readonly #random: () => number
  #socket: SocketLike | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #attempt = 0
  #isReady = false

  constructor(open: OpenSocket, handlers: LinkHandlers, random: () => number) {
    this.#open = open
    this.#handlers = handlers
    this.#random = random
  }

  get isReady(): boolean {
    return this.#isReady
  }

  /** Connects now; an attempt that is under way is left alone. */
  connect(): void {
    if (this.#socket) return
    clearTimeout(this.#timer)
    this.#handlers.connecting()
    const socket = this.#open()
    this.#socket = socket
    socket.onopen = () => {
      this.#handlers.opened()
    }
    socket.onmessage = (data) => {
      this.#handlers.received(new Uint8Array(data))
    }
    socket.onclose = (code) => {
      this.#lost(code)
    }
    this.#timer = setTimeout(() => {
      this.drop()
    }, CONNECT_TIMEOUT_MS)
  }

  /** The login is done. */
  ready(): void {
    clearTimeout(this.#timer)
    this.#attempt = 0
    this.#isReady = true
  }

  /** Gives up a connection that does not answer, without waiting for its closing handshake. */
  drop(): void {
    if (!this.#socket) return
    const socket = this.#socket
    this.#lost(1006)
    socket.close()
  }

  /** Ends the connection and stays away until `connect`. */
  stop(): void {
    clearTimeout(this.#timer)
    const socket = this.#detach()
    this.#attempt = 0
    socket?.close()
  }

  /** Bytes that were sent and have not left this machine. */
  buffered(): number {
    return this.#socket?.buffered() ?? 0
  }

  send(bytes: Uint8Array): void {
    this.#socket?.send(bytes)
  }

  #detach(): SocketLike | null {
    const socket = this.#socket
    if (socket) {
      socket.onopen = null
      socket.onmessage = null
      socket.onclose = null
    }
    this.#socket = null
    this.#isReady = false
    return socket
  }

  #lost(code: number): void {
    clearTimeout(this.#timer)
    this.#detach()
    if (!this.#handlers.closed(code)) return
    const pause = backoffMs(this.#attempt, this.#random)
    this.#attempt += 1
    this.#handlers.waiting(pause)
    this.#timer = setTimeout(() => {
      this.connect()
    }, pause)
  }
}
