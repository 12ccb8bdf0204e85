/** The service worker: the page opens without the relay, and a notification's click finds its tab. */
import { ShellCache, type Shell } from './shell'

declare const self: ServiceWorkerGlobalScope
/** Put in by the build (scripts/worker.ts). */
declare const __SHELL__: Shell

const cache = new ShellCache(__SHELL__, {
  caches,
  // What has no hash in its name may be an older one in the browser's own cache.
  fetch: (url) => fetch(url, { cache: url.includes('/assets/') ? 'default' : 'no-cache' }),
  scope: self.registration.scope,
})

self.addEventListener('install', (event) => {
  event.waitUntil(cache.install())
})

self.addEventListener('activate', (event) => {
  event.waitUntil(cache.activate())
})

self.addEventListener('fetch', (event) => {
  const answer = cache.answer(event.request)
  if (answer) event.respondWith(answer)
})

// Only when somebody asks for it: a page never changes under its reader.
self.addEventListener('message', ({ data }) => {
  if (data === 'activate') void self.skipWaiting()
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(show(event.notification.tag))
})

/** Brings an open page to the front and tells it which card; only without one a new page opens. */
async function show(requestId: string): Promise<void> {
  const [open] = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  if (!open) {
    await self.clients.openWindow(`${self.registration.scope}#/c/${encodeURIComponent(requestId)}`)
    return
  }
  open.postMessage({ type: 'open-card', requestId })
  await open.focus()
}
