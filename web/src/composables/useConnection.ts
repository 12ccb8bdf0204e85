import { inject, type InjectionKey } from 'vue'

import type { Command } from '../protocol/commands'
import type { AckFacts } from '../protocol/events'

/** What pages may ask of the connection. */
export interface ConnectionControl {
  readonly signIn: (token: string) => void
  readonly forget: () => void
  readonly retry: () => void
  readonly loadEarlier: () => void
  /** Tells the other devices that an answer is being written. */
  readonly tellTyping: (requestId: string) => void
  /** Sends a command and gives its ack; null if there is no connection. */
  readonly ask: (command: Command) => Promise<AckFacts | null>
  /** Sends a message that has no ack; false without a connection. */
  readonly send: (bytes: Uint8Array) => boolean
}

export const CONNECTION: InjectionKey<ConnectionControl> = Symbol('connection')

export function useConnection(): ConnectionControl {
  const control = inject(CONNECTION)
  if (!control) throw new Error('the connection was not provided')
  return control
}
