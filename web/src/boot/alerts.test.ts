import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { nextTick } from 'vue'

import { anUpdate, aRequest } from '../protocol/testing'
import { createAppRouter } from '../router'
import { useDock } from '../stores/dock'
import { useRoom } from '../stores/room'
import { useSettings } from '../stores/settings'
import { startAlerts } from './alerts'
import { claim } from './claim'

const shown: FakeNotification[] = []

class FakeNotification {
  static readonly permission = 'granted'
  onclick = () => undefined as unknown
  readonly close = vi.fn()
  constructor(
    readonly title: string,
    readonly options: { body: string; tag: string },
  ) {
    shown.push(this)
  }
}

async function ask(id: string): Promise<void> {
  useRoom().apply([{ type: 'request', seq: 1, request: aRequest({ id }) }])
  await nextTick()
  await vi.advanceTimersByTimeAsync(1000)
}

beforeEach(() => {
  vi.useFakeTimers()
  localStorage.clear()
  shown.length = 0
  vi.stubGlobal('Notification', FakeNotification)
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
  vi.spyOn(window, 'focus').mockImplementation(() => undefined)
  setActivePinia(createPinia())
  const hiddenWords = () => 'A question waits for you'
  startAlerts({ router: createAppRouter(), dock: useDock(), room: useRoom(), settings: useSettings(), hiddenWords })
  useRoom().synced(() => true)
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

describe('while no page is in front', () => {
  test('a question shows one notification, taken back when it is over', async () => {
    await ask('alert-1')
    expect(shown).toMatchObject([{ title: 'Claude Code · shop-api', options: { body: 'Which one?', tag: 'alert-1' } }])
    useRoom().apply([{ type: 'state', seq: 2, update: anUpdate({ requestId: 'alert-1', phase: 'cancelled' }) }])
    await nextTick()
    expect(shown[0]?.close).toHaveBeenCalledOnce()
  })

  test('a click opens its card', async () => {
    await ask('alert-2')
    useDock().close()
    shown[0]?.onclick()
    expect(useDock().openId).toBe('alert-2')
    expect(window.focus).toHaveBeenCalledOnce()
  })

  test('another tab that was first leaves nothing to say', async () => {
    await claim('alert-3', true)
    await ask('alert-3')
    expect(shown).toEqual([])
  })

  test('do not disturb and hidden content are kept to', async () => {
    const settings = useSettings()
    settings.attention = { ...settings.attention, hidesContent: true }
    await ask('alert-4')
    settings.attention = { ...settings.attention, isQuiet: true }
    await ask('alert-5')
    expect(shown.map(({ options }) => options.body)).toEqual(['A question waits for you'])
  })
})

test('shakes only after somebody has touched the page', async () => {
  const vibrate = vi.fn()
  vi.stubGlobal('navigator', Object.create(navigator, { vibrate: { value: vibrate }, userActivation: { value: { hasBeenActive: false }, writable: true } }))
  await ask('alert-7')
  expect(vibrate).not.toHaveBeenCalled()
  Object.assign(navigator, { userActivation: { hasBeenActive: true } })
  await ask('alert-8')
  expect(vibrate).toHaveBeenCalledOnce()
})

test('a page in front shows no notification', async () => {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('visible')
  await ask('alert-6')
  expect(shown).toEqual([])
})
