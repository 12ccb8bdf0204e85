/**
 * The conversation with the relay: login, what was missed, heartbeat, replies with their acks. It
 * keeps no view of the room; everything it learns goes to the sink, everything it sends comes from it.
 */
import {
  decode,
  encodeClientInfo,
  encodeGetHistory,
  encodeGetOnlineUsers,
  encodeLogin,
  encodePing,
  encodeReply,
  type ClientFacts,
  type OutgoingReply,
} from '../protocol/codec'
import type { Earlier } from '../protocol/earlier'
import { isRoomEvent, type AckFacts, type RelayEvent, type RoomEvent, type ServerFacts, type SharedFacts } from '../protocol/events'
import type { PairingFacts } from '../protocol/pairing'
import { encodeText, type OutgoingText } from '../protocol/peopleCodec'
import { encodeCallUpdate, type OutgoingUpdate } from '../protocol/toolCodec'
import type { RefusedTool } from '../protocol/tools'
import type { AgentPresence, ChatFacts, DeviceView, OnlineUserView } from '../protocol/view'
import { Heartbeat } from './heartbeat'
import { History } from './history'
import { Link } from './link'
import type { OpenSocket } from './socket'

interface Identity {
  readonly token: string
  readonly nickname: string
  readonly client: ClientFacts
}

/** Where everything goes that the relay says, and where replies come from. */
export interface SessionSink {
  readonly identity: () => Identity
  readonly connecting: () => void
  readonly online: (clientId: string) => void
  readonly offline: (retryInMs: number) => void
  readonly signedOut: (message: string) => void
  /** This tab's id is in use by another one. */
  readonly renewTab: () => void
  readonly server: (server: ServerFacts) => void
  /** Facts from the log. */
  readonly events: (events: readonly RoomEvent[]) => void
  /** A fact as it happens. */
  readonly happened: (event: RoomEvent) => void
  readonly reset: () => void
  readonly syncing: () => void
  readonly synced: () => void
  readonly earlier: (earlier: Earlier) => void
  readonly users: (users: readonly OnlineUserView[]) => void
  readonly presence: (user: OnlineUserView, connected: boolean) => void
  readonly agents: (agents: readonly AgentPresence[]) => void
  readonly devices: (devices: readonly DeviceView[]) => void
  readonly chat: (chat: ChatFacts) => void
  /** The replies and texts that may go out now. */
  readonly takeDue: () => readonly (OutgoingReply | OutgoingText | OutgoingUpdate)[]
  /** A reply or text went into the socket; `buffered` tells how much of it has left. */
  readonly given: (ref: string, bytes: number) => void
  readonly acknowledged: (ack: AckFacts) => void
  readonly shared: (told: SharedFacts) => void
  /** A step of one more device that joins; `ref` of what it answers. */
  readonly pairing: (told: PairingFacts, ref: string) => void
  /** The relay wants to know what this page offers. */
  readonly announce: () => void
  readonly refusedTools: (tools: readonly RefusedTool[]) => void
}

function encoded(one: OutgoingReply | OutgoingText | OutgoingUpdate): Uint8Array {
  if ('update' in one) return encodeCallUpdate(one)
  return 'content' in one ? encodeText(one) : encodeReply(one)
}

export interface SessionOptions {
  readonly openSocket: OpenSocket
  readonly random: () => number
  readonly now: () => number
  readonly newRef: () => string
}

const SAME_TAB = 4001
/** Silent for longer than two heartbeats: the machine slept, the socket is a corpse. */
const STALE_MS = 45_000

export class Session {
  readonly #sink: SessionSink
  readonly #now: () => number
  readonly #link: Link
  readonly #heartbeat: Heartbeat
  readonly #history: History
  #lastHeardMs = 0
  #isStopped = true
  #isTakenOver = false
  #isOnline = false

  constructor(sink: SessionSink, options: SessionOptions) {
    this.#sink = sink
    this.#now = options.now
    this.#link = new Link(
      options.openSocket,
      {
        connecting: sink.connecting,
        opened: () => {
          this.#login()
        },
        received: (bytes) => {
          this.#received(bytes)
        },
        closed: (code) => this.#closed(code),
        waiting: sink.offline,
      },
      options.random,
    )
    this.#heartbeat = new Heartbeat(
      (ref) => {
        this.#link.send(encodePing(ref))
      },
      () => {
        this.#link.drop()
      },
      options.newRef,
      () => this.#link.buffered(),
    )
    this.#history = new History({
      ask: (range) => {
        this.#link.send(encodeGetHistory(range))
      },
      newRef: options.newRef,
      reset: sink.reset,
      apply: sink.events,
      syncing: sink.syncing,
      synced: sink.synced,
      earlier: sink.earlier,
    })
  }

  start(): void {
    this.#isStopped = false
    this.#link.connect()
  }

  /** Leaves and stays away, for example because the token was forgotten. */
  stop(): void {
    this.#isStopped = true
    this.#isOnline = false
    this.#heartbeat.stop()
    this.#link.stop()
  }

  /** The page woke up, came to the front or got a network: be connected as soon as possible. */
  wake(): void {
    if (this.#isStopped) return
    if (this.#isTakenOver) {
      this.#isTakenOver = false
      this.#sink.renewTab()
    }
    if (!this.#isOnline) this.#link.connect()
    else if (this.#now() - this.#lastHeardMs > STALE_MS) this.#reconnect()
    else this.#heartbeat.probe()
  }

  /** The page came to the front or left it. */
  visibilityChanged(): void {
    if (this.#isOnline) this.#link.send(encodeClientInfo(this.#sink.identity().client))
  }

  /** The nickname changed. */
  rename(): void {
    if (this.#isOnline) this.#login()
  }

  /** Sends the replies that are due; the ping behind them finds out whether anybody listens. */
  flush(): void {
    if (!this.#isOnline) return
    const replies = this.#sink.takeDue()
    for (const one of replies) {
      const bytes = encoded(one)
      this.#link.send(bytes)
      this.#sink.given(one.ref, bytes.length)
    }
    if (replies.length > 0) this.#heartbeat.probe()
  }

  /** Sends a message of any other kind; false without a connection. */
  send(bytes: Uint8Array): boolean {
    if (!this.#isOnline) return false
    this.#link.send(bytes)
    return true
  }

  /** Bytes that were sent and have not left this machine. */
  buffered(): number {
    return this.#link.buffered()
  }

  loadEarlier(): void {
    if (this.#isOnline) this.#history.loadEarlier()
  }

  #reconnect(): void {
    this.#link.drop()
    this.#link.connect()
  }

  #login(): void {
    const { token, nickname, client } = this.#sink.identity()
    this.#link.send(encodeLogin(token, nickname, client))
  }

  #received(bytes: Uint8Array): void {
    this.#lastHeardMs = this.#now()
    const event = decode(bytes)
    if (isRoomEvent(event)) {
      this.#sink.happened(event)
      this.#history.heard(event.seq)
      return
    }
    this.#dispatch(event)
  }

  #dispatch(event: Exclude<RelayEvent, RoomEvent>): void {
    switch (event.type) {
      case 'login':
        this.#loggedIn(event.success, event.clientId, event.error)
        break
      case 'server':
        this.#welcomed(event)
        break
      case 'history':
        this.#history.page(event)
        break
      case 'ack':
        this.#acknowledged(event)
        break
      case 'pairing':
        this.#sink.pairing(event.pairing, event.ref)
        break
      default:
        this.#tell(event)
    }
  }

  /** Passes on what only the sink needs to know. */
  #tell(event: Exclude<RelayEvent, RoomEvent | { type: 'login' | 'server' | 'history' | 'ack' | 'pairing' }>): void {
    switch (event.type) {
      case 'online':
        this.#sink.users(event.users)
        break
      case 'presence':
        this.#sink.presence(event.user, event.connected)
        break
      case 'agents':
        this.#sink.agents(event.agents)
        break
      case 'devices':
        this.#sink.devices(event.devices)
        break
      case 'chat':
        this.#sink.chat(event.chat)
        break
      case 'shared':
        this.#sink.shared(event.told)
        break
      case 'announce':
        this.#sink.announce()
        break
      case 'refusedTools':
        this.#sink.refusedTools(event.tools)
        break
      case 'unknown':
        break
    }
  }

  #loggedIn(success: boolean, clientId: string, error: string): void {
    // The answer to a rename: the first login stands.
    if (this.#isOnline) return
    if (!success) {
      this.stop()
      this.#sink.signedOut(error)
      return
    }
    this.#link.ready()
    this.#isOnline = true
    this.#heartbeat.start()
    this.#sink.online(clientId)
  }

  #welcomed(server: ServerFacts): void {
    this.#sink.server(server)
    this.#history.loggedIn(server)
    this.#link.send(encodeGetOnlineUsers())
    this.flush()
  }

  #acknowledged(ack: AckFacts): void {
    if (this.#heartbeat.heard(ack.ref) || (!ack.accepted && this.#history.refused(ack.ref))) return
    this.#sink.acknowledged(ack)
    if (ack.accepted) this.#history.heard(ack.seq)
  }

  #closed(code: number): boolean {
    this.#isOnline = false
    this.#heartbeat.stop()
    this.#history.connectionLost()
    if (this.#isStopped) return false
    if (code !== SAME_TAB) return true
    if (this.#sink.identity().client.visible) {
      this.#sink.renewTab()
      return true
    }
    // Another tab took this one's place; it comes back when somebody looks at it.
    this.#isTakenOver = true
    this.#sink.offline(0)
    return false
  }
}
