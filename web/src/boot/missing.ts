import type { App } from 'vue'
import type { Router } from 'vue-router'

import { useMissing } from '../stores/missing'

/** What browsers and the bundler say of a file that did not come. */
const NOT_LOADED = /dynamically imported module|preload CSS|importing a module script failed/i

export function isNotLoaded(error: unknown): boolean {
  return error instanceof Error && NOT_LOADED.test(error.message)
}

/** A part that cannot be loaded, because the relay is away or has a newer page, is told in words; nothing else breaks. */
export function watchMissing(app: App, router: Router): void {
  const missing = useMissing()
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
}
