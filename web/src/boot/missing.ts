import { watch, type App } from 'vue'
import type { Router } from 'vue-router'

import { isNotLoaded } from '../protocol/notLoaded'
import { useMissing } from '../stores/missing'
import { useSession } from '../stores/session'

/** A part that cannot be loaded, because the relay is away or has a newer page, is told in words; nothing else breaks. */
export function watchMissing(app: App, router: Router): void {
  const [missing, session] = [useMissing(), useSession()]
  router.onError((error, to) => {
    if (!isNotLoaded(error)) throw error
    missing.note(to.fullPath)
  })
  router.afterEach((_to, _from, failure) => {
    if (!failure) missing.clear()
  })
  app.config.errorHandler = (error) => {
    if (!isNotLoaded(error)) throw error
    missing.note('')
  }
  addEventListener('unhandledrejection', (event) => {
    if (!isNotLoaded(event.reason)) return
    event.preventDefault()
    missing.note('')
  })
  addEventListener('vite:preloadError', (event) => {
    dropStyles((event as Event & { payload: Error }).payload.message)
  })
  watch(
    () => session.connection === 'online',
    (isOnline) => {
      if (isOnline) missing.retry()
    },
  )
}

/** The bundler never asks twice for styles of which it finds a link, even if they did not come. */
function dropStyles(message: string): void {
  const [, href] = /preload CSS for (\S+)/.exec(message) ?? []
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')) if (link.href === href) link.remove()
}

/** Loads what nobody waits for. What does not come is loaded with the next connection. */
export async function loadAhead(load: () => Promise<unknown>): Promise<void> {
  try {
    await load()
  } catch (error) {
    if (!isNotLoaded(error)) throw error
    useMissing().postpone(() => void loadAhead(load))
  }
}
