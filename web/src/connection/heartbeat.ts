const EVERY_MS = 20_000
const ANSWER_WITHIN_MS = 5_000

/** Finds connections that look open and are dead: a ping with a ref, and its ack in time. */
export class Heartbeat {
  readonly #ping: (ref: string) => void
  readonly #dead: () => void
  readonly #newRef: () => string
  #interval: ReturnType<typeof setInterval> | undefined
  #timeout: ReturnType<typeof setTimeout> | undefined
  #waitingFor = ''

  constructor(ping: (ref: string) => void, dead: () => void, newRef: () => string) {
    this.#ping = ping
    this.#dead = dead
    this.#newRef = newRef
  }

  start(): void {
    this.stop()
    this.#interval = setInterval(() => {
      this.probe()
    }, EVERY_MS)
  }

  stop(): void {
    clearInterval(this.#interval)
    clearTimeout(this.#timeout)
    this.#waitingFor = ''
  }

  /** Asks now; a question that is still open is enough. */
  probe(): void {
    if (this.#waitingFor) return
    this.#waitingFor = this.#newRef()
    this.#timeout = setTimeout(() => {
      this.stop()
      this.#dead()
    }, ANSWER_WITHIN_MS)
    this.#ping(this.#waitingFor)
  }

  /** An ack came; true if it was ours. */
  heard(ref: string): boolean {
    if (!ref || ref !== this.#waitingFor) return false
    clearTimeout(this.#timeout)
    this.#waitingFor = ''
    return true
  }
}
