import type { Limits } from './attachments'
import type { PairingFacts } from './pairing'
import type { CallFacts, CallUpdate, RefusedTool } from './tools'
import type {
  AgentPresence,
  ChatFacts,
  DeviceView,
  ErrorCodeName,
  OnlineUserView,
  ReplyFacts,
  RequestFacts,
  ShownPicture,
  StateUpdate,
  TextFacts,
} from './view'

/** A fact about the room. `seq` 0: not in the log. */
export type RoomEvent =
  | { readonly type: 'request'; readonly seq: number; readonly request: RequestFacts }
  | {
      readonly type: 'reply'
      readonly seq: number
      readonly request: RequestFacts
      readonly reply: ReplyFacts
    }
  | { readonly type: 'state'; readonly seq: number; readonly update: StateUpdate }
  | { readonly type: 'text'; readonly seq: number; readonly text: TextFacts }
  | { readonly type: 'picture'; readonly seq: number; readonly shown: ShownPicture }
  | { readonly type: 'call'; readonly seq: number; readonly call: CallFacts }
  | CallUpdateEvent

/** What became of a call; `by` is the device that did it, "" if unknown. */
interface CallUpdateEvent {
  readonly type: 'callUpdate'
  readonly seq: number
  readonly update: CallUpdate
  readonly by: string
  /** When it happened, by the relay's clock. */
  readonly atMs: number
  /** The call itself, where it was never given to this page: to show, not to run. */
  readonly call?: CallFacts
}

interface LoginResult {
  readonly type: 'login'
  readonly success: boolean
  readonly clientId: string
  readonly error: string
}

export interface ServerFacts {
  readonly type: 'server'
  readonly version: string
  readonly protocol: number
  readonly clockMs: number
  readonly lastSeq: number
  readonly logId: string
  readonly limits: Limits
}

export interface AckFacts {
  readonly type: 'ack'
  readonly ref: string
  readonly accepted: boolean
  readonly code: ErrorCodeName
  readonly message: string
  readonly seq: number
}

export interface HistoryFacts {
  readonly type: 'history'
  /** That of the question. */
  readonly ref: string
  readonly events: readonly RoomEvent[]
  readonly newestSeq: number
  readonly oldestSeq: number
  readonly floorSeq: number
  readonly lastSeq: number
  readonly more: boolean
  readonly reset: boolean
}

/** What the room's devices have in common: a setting, or that somebody writes an answer. */
export type SharedFacts =
  | { readonly kind: 'setting'; readonly key: string; readonly valueJson: string; readonly revision: number }
  | { readonly kind: 'typing'; readonly requestId: string; readonly nickname: string }

/** One message of the relay as the page understands it. */
export type RelayEvent =
  | RoomEvent
  | LoginResult
  | ServerFacts
  | AckFacts
  | HistoryFacts
  | { readonly type: 'online'; readonly users: readonly OnlineUserView[] }
  | { readonly type: 'presence'; readonly user: OnlineUserView; readonly connected: boolean }
  | { readonly type: 'agents'; readonly agents: readonly AgentPresence[] }
  | { readonly type: 'devices'; readonly devices: readonly DeviceView[] }
  | { readonly type: 'chat'; readonly chat: ChatFacts }
  | { readonly type: 'shared'; readonly told: SharedFacts }
  /** `ref` of what it answers; "" if it comes by itself. */
  | { readonly type: 'pairing'; readonly ref: string; readonly pairing: PairingFacts }
  /** The relay wants to know what this page offers. */
  | { readonly type: 'announce' }
  | { readonly type: 'refusedTools'; readonly tools: readonly RefusedTool[] }
  | { readonly type: 'unknown'; readonly command: string }

export function isRoomEvent(event: RelayEvent): event is RoomEvent {
  return (
    event.type === 'request' ||
    event.type === 'reply' ||
    event.type === 'state' ||
    event.type === 'text' ||
    event.type === 'picture' ||
    event.type === 'call' ||
    event.type === 'callUpdate'
  )
}
