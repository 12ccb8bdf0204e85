import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, test, vi } from 'vitest'
import { createApp } from 'vue'
import { createMemoryHistory, createRouter } from 'vue-router'

import { useMissing } from '../stores/missing'
import { isNotLoaded, watchMissing } from './missing'

const GONE = new TypeError('Failed to fetch dynamically imported module: http://x/assets/a.js')
const empty = { render: () => null }

beforeEach(() => {
  setActivePinia(createPinia())
})

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
  watchMissing(app, createRouter({ history: createMemoryHistory(), routes: [{ path: '/', component: empty }] }))
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
