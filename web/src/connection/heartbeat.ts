const EVERY_MS = 20_000
const ANSWER_WITHIN_MS = 5_000

/** Finds connections that look open and are dead: a ping with a ref, and its ack in time. */
export class Heartbeat {
  readonly #ping: (ref: string) => void
  readonly #dead: () => void
  readonly #newRef: () => string
  #interval: ReturnType<typeof setInterval> | undefined
  #timeout: ReturnType<typeof setTimeout> | undefined
  readonly #buffered: () => number
  #waitingFor = ''

  /** `buffered` tells how many bytes have not left yet: while they leave, nobody is dead. */
  constructor(ping: (ref: string) => void, dead: () => void, newRef: () => string, buffered: () => number) {
    this.#buffered = buffered
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
    this.#ping(this.#waitingFor)
    this.#await(this.#buffered())
  }

  #await(left: number): void {
    this.#timeout = setTimeout(() => {
      const now = this.#buffered()
      if (left > 0 && now < left) {
        this.#await(now)
        return
      }
      this.stop()
      this.#dead()
    }, ANSWER_WITHIN_MS)
  }

  /** An ack came; true if it was ours. */
  heard(ref: string): boolean {
    if (!ref || ref !== this.#waitingFor) return false
    clearTimeout(this.#timeout)
    this.#waitingFor = ''
    return true
  }
}
