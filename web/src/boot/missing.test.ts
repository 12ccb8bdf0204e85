import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, test, vi } from 'vitest'
import { createApp, h, nextTick } from 'vue'
import { createMemoryHistory, createRouter } from 'vue-router'

import { lazyPart } from '../composables/lazyPart'
import { isNotLoaded } from '../protocol/notLoaded'
import { useMissing } from '../stores/missing'
import { useSession } from '../stores/session'
import { loadAhead, watchMissing } from './missing'

const GONE = new TypeError('Failed to fetch dynamically imported module: http://x/assets/a.js')
const empty = { render: () => null }

const routed = () => createRouter({ history: createMemoryHistory(), routes: [{ path: '/', component: empty }] })

beforeEach(() => {
  setActivePinia(createPinia())
})

async function comeBack(): Promise<void> {
  const session = useSession()
  session.connection = 'offline'
  await nextTick()
  session.connection = 'online'
  await nextTick()
}

test('knows the words of the browsers', () => {
  for (const message of [GONE.message, 'Unable to preload CSS for /a.css', 'error loading dynamically imported module: x', 'Importing a module script failed.']) {
    expect(isNotLoaded(new Error(message))).toBe(true)
  }
  expect(isNotLoaded(new Error('x is undefined'))).toBe(false)
  expect(isNotLoaded(GONE.message)).toBe(false)
})

test('a page that did not come is told, tried again, and forgotten when it is there', async () => {
  const load = vi.fn().mockRejectedValueOnce(GONE).mockResolvedValue(empty)
  const router = createRouter({
    history: createMemoryHistory(),
    routes: [{ path: '/', component: empty }, { path: '/far', component: load }],
  })
  watchMissing(createApp(empty), router)
  await router.push('/')
  await router.push('/far?q=1').catch(() => undefined)
  expect(useMissing()).toMatchObject({ isMissing: true, path: '/far?q=1' })
  await router.push(useMissing().path)
  expect(router.currentRoute.value.fullPath).toBe('/far?q=1')
  expect(useMissing().isMissing).toBe(false)
})

test('a smaller part is told too; other errors stay errors', () => {
  const app = createApp(empty)
  watchMissing(app, routed())
  const handler = app.config.errorHandler!
  handler(GONE, null, '')
  expect(useMissing()).toMatchObject({ isMissing: true, path: '' })
  expect(() => {
    handler(new Error('other'), null, '')
  }).toThrow('other')
  useMissing().clear()
  const event = Object.assign(new Event('unhandledrejection', { cancelable: true }), { reason: GONE })
  dispatchEvent(event)
  expect(event.defaultPrevented).toBe(true)
  expect(useMissing().isMissing).toBe(true)
})

test('a place that stayed empty is filled when the connection is back', async () => {
  const load = vi.fn().mockRejectedValueOnce(GONE).mockResolvedValue({ render: () => h('p', 'here') })
  const part = lazyPart(load)
  const page = createApp({ render: () => h(part) })
  watchMissing(page, routed())
  const root = document.createElement('div')
  page.mount(root)
  await vi.waitFor(() => {
    expect(useMissing().isMissing).toBe(true)
  })
  await comeBack()
  expect(useMissing().isMissing).toBe(false)
  await vi.waitFor(() => {
    expect(root.textContent).toBe('here')
  })
  await comeBack()
  expect(load).toHaveBeenCalledTimes(2)
  page.unmount()
})

test('where somebody wanted to go is still offered then', async () => {
  watchMissing(createApp(empty), routed())
  useMissing().note('/far')
  await comeBack()
  expect(useMissing()).toMatchObject({ isMissing: true, path: '/far' })
})

test('what is loaded ahead says nothing and is loaded with the next connection', async () => {
  watchMissing(createApp(empty), routed())
  const load = vi.fn().mockRejectedValueOnce(GONE).mockResolvedValue(undefined)
  await loadAhead(load)
  expect(useMissing().isMissing).toBe(false)
  await comeBack()
  expect(load).toHaveBeenCalledTimes(2)
  await expect(loadAhead(() => Promise.reject(new Error('other')))).rejects.toThrow('other')
})

test('styles that did not come are asked for again', () => {
  watchMissing(createApp(empty), routed())
  const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: 'http://x/assets/a.css' })
  document.head.append(link)
  const failed = (href: string) => {
    dispatchEvent(Object.assign(new Event('vite:preloadError'), { payload: new Error(`Unable to preload CSS for ${href}`) }))
  }
  failed('http://x/assets/b.css')
  expect(link.isConnected).toBe(true)
  failed('http://x/assets/a.css')
  expect(link.isConnected).toBe(false)
})
