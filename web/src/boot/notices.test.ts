import { afterEach, describe, expect, test, vi } from 'vitest'

import { Notices } from './notices'

const WORDS = { title: 'Claude Code · shop-api', body: 'Which one?', stays: false }

class FakeContainer extends EventTarget {
  readonly shown: { tag: string; close: () => void }[] = []
  readonly showNotification = vi.fn((_title: string, { tag }: { tag: string }) => {
    this.shown.push({ tag, close: vi.fn() })
    return Promise.resolve()
  })
  getNotifications = () => Promise.resolve(this.shown)
  readonly getRegistration = () =>
    Promise.resolve({
      active: {},
      showNotification: this.showNotification,
      getNotifications: () => this.getNotifications(),
    })
}

function useWorker(): FakeContainer {
  const container = new FakeContainer()
  Object.defineProperty(navigator, 'serviceWorker', { value: container, configurable: true })
  vi.stubGlobal('Notification', { permission: 'granted' })
  return container
}

afterEach(() => {
  Reflect.deleteProperty(navigator, 'serviceWorker')
})

describe('with a service worker', () => {
  test('it shows them, and those of earlier loads are taken back too', async () => {
    const container = useWorker()
    const notices = new Notices(vi.fn())
    container.shown.push({ tag: 'old', close: vi.fn() })
    await notices.show('r1', WORDS)
    expect(container.showNotification).toHaveBeenCalledWith(WORDS.title, expect.objectContaining({ tag: 'r1', body: WORDS.body }))
    await notices.keepOnly(() => new Set(['r1']))
    expect(container.shown[0]?.close).toHaveBeenCalledOnce()
    expect(container.shown[1]?.close).not.toHaveBeenCalled()
  })

  test('one that comes while the others are looked through is not taken back', async () => {
    const container = useWorker()
    const notices = new Notices(vi.fn())
    const waiting = new Set(['r1'])
    const looking = notices.keepOnly(() => new Set(waiting))
    waiting.add('r2')
    container.shown.push({ tag: 'r2', close: vi.fn() })
    await looking
    expect(container.shown[0]?.close).not.toHaveBeenCalled()
  })

  test('nobody asks for all while one is on its way to the screen', async () => {
    const container = useWorker()
    const steps: string[] = []
    let appear: () => void = () => undefined
    container.showNotification.mockImplementation(async (_title: string, { tag }: { tag: string }) => {
      steps.push(`show ${tag}`)
      await new Promise<void>((resolve) => (appear = resolve))
      steps.push(`shown ${tag}`)
    })
    container.getNotifications = () => {
      steps.push('all')
      return Promise.resolve([])
    }
    const notices = new Notices(vi.fn())
    const showing = notices.show('r1', WORDS)
    const looking = [notices.keepOnly(() => new Set()), notices.keepOnly(() => new Set())]
    await vi.waitFor(() => {
      expect(steps).toEqual(['show r1'])
    })
    appear()
    await Promise.all([showing, ...looking])
    expect(steps).toEqual(['show r1', 'shown r1', 'all'])
  })

  test('one that fails holds up no other', async () => {
    const container = useWorker()
    container.showNotification.mockRejectedValueOnce(new TypeError('no'))
    const notices = new Notices(vi.fn())
    await expect(notices.show('r1', WORDS)).rejects.toThrow('no')
    await notices.show('r2', WORDS)
    expect(container.shown.map(({ tag }) => tag)).toEqual(['r2'])
  })

  test('a click that it reports opens the card here', () => {
    const container = useWorker()
    const open = vi.fn()
    new Notices(open)
    container.dispatchEvent(new MessageEvent('message', { data: 'something else' }))
    container.dispatchEvent(new MessageEvent('message', { data: { type: 'open-card', requestId: 'r7' } }))
    expect(open.mock.calls).toEqual([['r7']])
  })
})

test('nothing is shown without permission', async () => {
  const container = useWorker()
  vi.stubGlobal('Notification', { permission: 'default' })
  await new Notices(vi.fn()).show('r1', WORDS)
  expect(container.showNotification).not.toHaveBeenCalled()
})
