export interface WakeHandlers {
  /** The page may have slept or just got a network. */
  readonly wake: () => void
  /** The page goes out of sight, perhaps for ever. */
  readonly hide: () => void
  readonly visibility: () => void
}

/** Listens for every sign that the page is back; returns how to stop. */
export function listenForWake(handlers: WakeHandlers): () => void {
  const stop = new AbortController()
  const { signal } = stop
  const onVisibility = () => {
    handlers.visibility()
    if (document.visibilityState === 'hidden') handlers.hide()
    else handlers.wake()
  }
  document.addEventListener('visibilitychange', onVisibility, { signal })
  window.addEventListener('pagehide', handlers.hide, { signal })
  for (const name of ['online', 'pageshow', 'focus']) {
    window.addEventListener(name, handlers.wake, { signal })
  }
  return () => {
    stop.abort()
  }
}
