import { computed, readonly, ref, shallowRef, watch } from 'vue'

import type { PageUpdate } from '../composables/usePageUpdate'

/** Chromium's event; the others install by their own menu. */
interface InstallOffer extends Event {
  readonly prompt: () => Promise<unknown>
}

interface WorkerControl extends PageUpdate {
  /** Keeps the page in this browser; later, when nobody waits for anything. */
  readonly install: () => Promise<void>
}

/** Longer than it takes to get the few files of a new build, shorter than patience. */
const UPDATE_MS = 8_000
/** Coming back to the page asks for a new build at most this often. */
const CHECK_EVERY_MS = 15 * 60_000

/** None on plain http, where browsers have no service workers: then a reload gets the page from the relay. */
function container(): ServiceWorkerContainer | undefined {
  return (navigator as { serviceWorker?: ServiceWorkerContainer }).serviceWorker
}

function reloadPage(): void {
  location.reload()
}

/**
 * The service worker. The page is never changed by it, only offered a newer one: when somebody comes
 * back to it, or when the relay (`relayVersion`) has become another one.
 */
export function startWorker(relayVersion: () => string, reload: () => void = reloadPage): WorkerControl {
  const isReady = ref(false)
  const offer = shallowRef<InstallOffer | null>(null)
  const workers = container()
  let registration: ServiceWorkerRegistration | null = null
  let checkedMs = 0

  function watchFor(found: ServiceWorkerRegistration): void {
    // The very first worker is no news: its page is the one that is open.
    const tell = () => {
      if (workers?.controller) isReady.value = true
    }
    if (found.waiting) tell()
    found.addEventListener('updatefound', () => {
      const fresh = found.installing
      fresh?.addEventListener('statechange', () => {
        if (fresh.state === 'installed') tell()
      })
    })
  }

  // Kept for the settings: the page itself never asks.
  addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault()
    offer.value = event as InstallOffer
  })
  addEventListener('appinstalled', () => {
    offer.value = null
  })

  function installApp(): void {
    void offer.value?.prompt()
    offer.value = null
  }

  async function install(): Promise<void> {
    if (!workers) return
    try {
      // Another tab has changed to the new build; this one goes on with its own until it is reloaded.
      if (workers.controller) {
        workers.addEventListener('controllerchange', () => {
          isReady.value = true
        })
      }
      registration = await workers.register('sw.js')
      watchFor(registration)
      checkedMs = Date.now()
      document.addEventListener('visibilitychange', check)
      watch(relayVersion, (version) => {
        if (version && version !== __APP_VERSION__) void update()
      })
    } catch {
      // Forbidden, or no storage: the page works without it.
    }
  }

  async function update(): Promise<void> {
    checkedMs = Date.now()
    try {
      await registration?.update()
    } catch {
      // The relay is away; there will be another time.
    }
  }

  function check(): void {
    const isDue = Date.now() - checkedMs > CHECK_EVERY_MS
    if (isDue && document.visibilityState === 'visible') void update()
  }

  async function changeAndReload(): Promise<void> {
    await Promise.race([change(), pause(UPDATE_MS)])
    reload()
  }

  /** Done when a newer build has taken over, or there is none. */
  async function change(): Promise<void> {
    if (!registration?.waiting) await update()
    const next = registration?.waiting ?? (await installed(registration?.installing ?? null))
    if (!next) return
    const taken = new Promise((resolve) => workers?.addEventListener('controllerchange', resolve, { once: true }))
    next.postMessage('activate')
    await taken
  }

  return {
    isReady: readonly(isReady),
    reload: () => void changeAndReload(),
    canInstall: computed(() => offer.value !== null),
    installApp,
    install,
  }
}

/** The worker once it waits; null if it was given up. */
async function installed(worker: ServiceWorker | null): Promise<ServiceWorker | null> {
  if (!worker) return null
  return new Promise((resolve) => {
    worker.addEventListener('statechange', () => {
      if (worker.state === 'installed') resolve(worker)
      else if (worker.state === 'redundant') resolve(null)
    })
  })
}

async function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
