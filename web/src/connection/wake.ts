export interface WakeHandlers {
  /** The page may have slept or just got a network. */
  readonly wake: () => void
  /** The page goes out of sight, perhaps for ever. */
  readonly hide: () => void
  /** The page came to the front, left it, or somebody uses it: agents' calls go where that was last. */
  readonly visibility: () => void
}

/** Somebody who goes on using the page is told of this often. */
const USED_MS = 20_000

/** Listens for every sign that the page is back or in use; returns how to stop. */
export function listenForWake(handlers: WakeHandlers): () => void {
  const stop = new AbortController()
  const { signal } = stop
  let toldMs = -Infinity
  const tell = () => {
    toldMs = performance.now()
    handlers.visibility()
  }
  const onVisibility = () => {
    tell()
    if (document.visibilityState === 'hidden') handlers.hide()
    else handlers.wake()
  }
  const onUse = () => {
    if (performance.now() - toldMs >= USED_MS) tell()
  }
  document.addEventListener('visibilitychange', onVisibility, { signal })
  window.addEventListener('pagehide', handlers.hide, { signal })
  for (const name of ['online', 'pageshow', 'focus']) {
    window.addEventListener(name, handlers.wake, { signal })
  }
  for (const name of ['pointerdown', 'keydown']) {
    window.addEventListener(name, onUse, { signal, passive: true, capture: true })
  }
  return () => {
    stop.abort()
  }
}
