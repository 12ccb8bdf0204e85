import type { Command } from '../protocol/commands'
import type { AckFacts } from '../protocol/events'
import { randomId } from '../protocol/ids'

/** Commands that wait for their ack. Nothing is kept or sent again: whoever asked is told. */
export class Commands {
  readonly #send: (bytes: Uint8Array) => boolean
  readonly #waiting = new Map<string, (ack: AckFacts | null) => void>()

  constructor(send: (bytes: Uint8Array) => boolean) {
    this.#send = send
  }

  /** Sends it and gives its ack; null if there is no connection or it broke before the ack. */
  ask(command: Command): Promise<AckFacts | null> {
    const ref = randomId()
    return new Promise((resolve) => {
      this.#waiting.set(ref, resolve)
      if (!this.#send(command(ref))) this.#settle(ref, null)
    })
  }

  /** An ack came; true if it was for a command. */
  heard(ack: AckFacts): boolean {
    return this.#settle(ack.ref, ack)
  }

  connectionLost(): void {
    for (const ref of [...this.#waiting.keys()]) this.#settle(ref, null)
  }

  #settle(ref: string, ack: AckFacts | null): boolean {
    const resolve = this.#waiting.get(ref)
    this.#waiting.delete(ref)
    resolve?.(ack)
    return resolve !== undefined
  }
}
