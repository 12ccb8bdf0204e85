/** The part of a WebSocket that the page uses; tests pass a fake one. */
export interface SocketLike {
  onopen: (() => void) | null
  onmessage: ((data: ArrayBuffer) => void) | null
  onclose: ((code: number) => void) | null
  send: (bytes: Uint8Array) => void
  close: () => void
  /** Bytes that have not left yet. */
  buffered: () => number
}

export type OpenSocket = () => SocketLike

/** `ws` beside the page, whatever path prefix the page has. */
export function socketUrl(pageUrl: string): string {
  const url = new URL('ws', pageUrl)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  url.search = ''
  url.hash = ''
  return url.href
}

export function openWebSocket(url: string): SocketLike {
  const socket = new WebSocket(url)
  socket.binaryType = 'arraybuffer'
  const like: SocketLike = {
    onopen: null,
    onmessage: null,
    onclose: null,
    send: (bytes) => {
      socket.send(bytes as Uint8Array<ArrayBuffer>)
    },
    close: () => {
      socket.close()
    },
    buffered: () => socket.bufferedAmount,
  }
  socket.onopen = () => like.onopen?.()
  socket.onmessage = ({ data }) => {
    if (data instanceof ArrayBuffer) like.onmessage?.(data)
  }
  socket.onclose = ({ code }) => like.onclose?.(code)
  return like
}
