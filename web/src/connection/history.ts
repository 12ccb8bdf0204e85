import { NOTHING_EARLIER, type Earlier } from '../protocol/earlier'
import type { HistoryFacts, RoomEvent, ServerFacts } from '../protocol/events'
import { timeOf } from '../protocol/texts'

const PAGE = 200

export interface HistoryPort {
  readonly ask: (range: { afterSeq?: number; beforeSeq?: number; limit: number; ref: string }) => void
  readonly newRef: () => string
  readonly reset: () => void
  readonly apply: (events: readonly RoomEvent[]) => void
  /** What was missed begins to be read. */
  readonly syncing: () => void
  /** All that was missed has been read. */
  readonly synced: () => void
  readonly earlier: (earlier: Earlier) => void
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
  #earlier = NOTHING_EARLIER
  /** The open question for an older page; "" if there is none. */
  #earlierRef = ''

  constructor(port: HistoryPort) {
    this.#port = port
  }

  /** After every login. */
  loggedIn(server: ServerFacts): void {
    this.connectionLost()
    this.#heardSeq = 0
    if (server.logId !== this.#logId) {
      this.#logId = server.logId
      this.#port.reset()
      this.#startAt(Math.max(0, server.lastSeq - PAGE))
    }
    this.#isSyncing = true
    this.#port.syncing()
    if (server.lastSeq === this.#knownSeq) this.#finish(server.lastSeq)
    else this.#askAfter()
  }

  /** No answer comes any more. */
  connectionLost(): void {
    this.#earlierRef = ''
    this.#tell({ isLoading: false, hasFailed: false })
  }

  /** A fact came by itself. */
  heard(seq: number): void {
    if (this.#isSyncing) this.#heardSeq = Math.max(this.#heardSeq, seq)
    else this.#knownSeq = Math.max(this.#knownSeq, seq)
  }

  page(page: HistoryFacts): void {
    if (page.ref === this.#earlierRef && page.ref) {
      this.#earlierRef = ''
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

  /** The relay could not read a page; true if it was one of these. */
  refused(ref: string): boolean {
    if (!ref || ref !== this.#earlierRef) return false
    this.#earlierRef = ''
    this.#tell({ isLoading: false, hasFailed: true })
    return true
  }

  /** Asks for the page before the oldest one. */
  loadEarlier(): void {
    if (this.#oldestSeq <= 1 || this.#earlierRef) return
    this.#earlierRef = this.#port.newRef()
    this.#tell({ isLoading: true, hasFailed: false })
    this.#port.ask({ beforeSeq: this.#oldestSeq, limit: PAGE, ref: this.#earlierRef })
  }

  #startAt(seq: number): void {
    this.#knownSeq = seq
    this.#oldestSeq = 0
    this.#tell(NOTHING_EARLIER)
  }

  #askAfter(): void {
    this.#port.ask({ afterSeq: this.#knownSeq, limit: PAGE, ref: '' })
  }

  #noteOldest(page: HistoryFacts): void {
    // A page of which everything was compacted away has no numbers: go on before it.
    this.#oldestSeq = page.oldestSeq || Math.max(page.floorSeq, this.#oldestSeq - PAGE)
    const sinceMs = page.events.map(timeOf).find(Boolean) ?? this.#earlier.sinceMs
    this.#tell({ exists: this.#oldestSeq > Math.max(1, page.floorSeq), isLoading: false, sinceMs })
  }

  #tell(change: Partial<Earlier>): void {
    this.#earlier = { ...this.#earlier, ...change }
    this.#port.earlier(this.#earlier)
  }

  #finish(lastSeq: number): void {
    this.#knownSeq = Math.max(this.#knownSeq, lastSeq, this.#heardSeq)
    this.#isSyncing = false
    this.#port.synced()
  }
}
