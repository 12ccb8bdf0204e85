import { inject, type InjectionKey } from 'vue'

import type { Command } from '../protocol/commands'
import type { AckFacts } from '../protocol/events'

/** What pages may ask of the connection. */
export interface ConnectionControl {
  readonly signIn: (token: string) => void
  readonly forget: () => void
  readonly retry: () => void
  readonly loadEarlier: () => void
  /** Sends a command and gives its ack; null if there is no connection. */
  /** Tells the other devices that an answer is being written. */
  readonly tellTyping: (requestId: string) => void
  readonly ask: (command: Command) => Promise<AckFacts | null>
}

export const CONNECTION: InjectionKey<ConnectionControl> = Symbol('connection')

export function useConnection(): ConnectionControl {
  const control = inject(CONNECTION)
  if (!control) throw new Error('the connection was not provided')
  return control
}
