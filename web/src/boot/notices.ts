/** Notifications of the system: through the service worker where there is one, so that a click finds this tab. */

export interface NoticeWords {
  readonly title: string
  readonly body: string
  /** It stays until somebody touches it. */
  readonly stays: boolean
}

function workers(): ServiceWorkerContainer | undefined {
  return (navigator as { serviceWorker?: ServiceWorkerContainer }).serviceWorker
}

async function registration(): Promise<ServiceWorkerRegistration | null> {
  const found = await workers()?.getRegistration()
  return found?.active ? found : null
}

/** Shows and takes back; `open` is called with the card that somebody clicked on. */
export class Notices {
  readonly #open: (requestId: string) => void
  readonly #own = new Map<string, Notification>()
  #turn: Promise<void> = Promise.resolve()
  #look: Promise<void> | null = null

  constructor(open: (requestId: string) => void) {
    this.#open = open
    workers()?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (isOpenCard(data)) open(data.requestId)
    })
  }

  async show(requestId: string, { title, body, stays }: NoticeWords): Promise<void> {
    if (!('Notification' in window) || Notification.permission !== 'granted') return
    const options = { body, tag: requestId, icon: 'icon-192.png', silent: true, requireInteraction: stays }
    await this.#inTurn(async () => {
      const keeper = await registration()
      if (keeper) await keeper.showNotification(title, options)
      else this.#showHere(requestId, title, options)
    })
  }

  /**
   * Takes back all that are about none of these cards, also what an earlier load of the page has shown.
   * They are read again when the browser has answered: a card may have come meanwhile.
   */
  async keepOnly(requestIds: () => ReadonlySet<string>): Promise<void> {
    const waiting = requestIds()
    for (const [id, notice] of this.#own) {
      if (waiting.has(id)) continue
      notice.close()
      this.#own.delete(id)
    }
    this.#look ??= this.#inTurn(() => this.#takeBack(requestIds))
    await this.#look
  }

  async #takeBack(requestIds: () => ReadonlySet<string>): Promise<void> {
    this.#look = null
    const shown = (await (await registration())?.getNotifications()) ?? []
    const kept = requestIds()
    for (const notice of shown) if (!kept.has(notice.tag)) notice.close()
  }

  /**
   * One step after the other: Chromium forgets a notification that is not on the screen yet when it
   * is asked for all; it would stay there for good.
   */
  async #inTurn(step: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(step)
    this.#turn = turn.catch(() => undefined)
    await turn
  }

  #showHere(requestId: string, title: string, options: NotificationOptions): void {
    try {
      const notice = new Notification(title, options)
      notice.onclick = () => {
        notice.close()
        this.#open(requestId)
      }
      this.#own.set(requestId, notice)
    } catch {
      // Phones notify only through a service worker.
    }
  }
}

function isOpenCard(data: unknown): data is { requestId: string } {
  return typeof data === 'object' && data !== null && 'requestId' in data && typeof data.requestId === 'string'
}
