import type { HistoryFacts, RoomEvent, ServerFacts } from '../protocol/events'

const PAGE = 200

export interface HistoryPort {
  readonly ask: (range: { afterSeq?: number; beforeSeq?: number; limit: number }) => void
  readonly reset: () => void
  readonly apply: (events: readonly RoomEvent[]) => void
  /** All that was missed has been read. */
  readonly synced: () => void
  /** Whether older facts than those read exist. */
  readonly earlier: (hasEarlier: boolean) => void
}

/**
 * Reads what this page does not know of the room's log: all since the last fact after a break, the
 * newest page at first, older pages on demand. Only what was read without a gap counts as known.
 */
export class History {
  readonly #port: HistoryPort
  #logId = ''
  /** Everything up to here is known. */
  #knownSeq = 0
  /** The newest fact heard live while pages were still missing. */
  #heardSeq = 0
  #oldestSeq = 0
  #isSyncing = false
  /** What the open questions were; the relay answers in order. */
  #asked: ('after' | 'before')[] = []

  constructor(port: HistoryPort) {
    this.#port = port
  }

  /** After every login. */
  loggedIn(server: ServerFacts): void {
    this.#asked = []
    this.#heardSeq = 0
    if (server.logId !== this.#logId) {
      this.#logId = server.logId
      this.#port.reset()
      this.#startAt(Math.max(0, server.lastSeq - PAGE))
    }
    this.#isSyncing = true
    if (server.lastSeq === this.#knownSeq) this.#finish(server.lastSeq)
    else this.#askAfter()
  }

  /** A fact came by itself. */
  heard(seq: number): void {
    if (this.#isSyncing) this.#heardSeq = Math.max(this.#heardSeq, seq)
    else this.#knownSeq = Math.max(this.#knownSeq, seq)
  }

  page(page: HistoryFacts): void {
    if (this.#asked.shift() === 'before') {
      this.#port.apply(page.events)
      this.#noteOldest(page)
      return
    }
    if (page.reset) {
      this.#port.reset()
      this.#startAt(0)
    }
    this.#port.apply(page.events)
    if (this.#oldestSeq === 0) this.#noteOldest(page)
    this.#knownSeq = Math.max(this.#knownSeq, page.newestSeq)
    if (page.more && page.newestSeq > 0) this.#askAfter()
    else this.#finish(page.lastSeq)
  }

  /** Asks for the page before the oldest one. */
  loadEarlier(): void {
    if (this.#oldestSeq <= 1 || this.#asked.includes('before')) return
    this.#asked.push('before')
    this.#port.ask({ beforeSeq: this.#oldestSeq, limit: PAGE })
  }

  #startAt(seq: number): void {
    this.#knownSeq = seq
    this.#oldestSeq = 0
    this.#port.earlier(false)
  }

  #askAfter(): void {
    this.#asked.push('after')
    this.#port.ask({ afterSeq: this.#knownSeq, limit: PAGE })
  }

  #noteOldest(page: HistoryFacts): void {
    this.#oldestSeq = page.oldestSeq
    this.#port.earlier(page.oldestSeq > Math.max(1, page.floorSeq))
  }

  #finish(lastSeq: number): void {
    this.#knownSeq = Math.max(this.#knownSeq, lastSeq, this.#heardSeq)
    this.#isSyncing = false
    this.#port.synced()
  }
}
