import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { nextTick, ref } from 'vue'

import { startWorker } from './worker'

class FakeWorker extends EventTarget {
  state = 'installing'
  readonly postMessage = vi.fn()

  become(state: string): void {
    this.state = state
    this.dispatchEvent(new Event('statechange'))
  }
}

class FakeRegistration extends EventTarget {
  installing: FakeWorker | null = null
  waiting: FakeWorker | null = null
  readonly update = vi.fn(() => Promise.resolve())

  found(): FakeWorker {
    const worker = new FakeWorker()
    this.installing = worker
    this.dispatchEvent(new Event('updatefound'))
    return worker
  }
}

class FakeContainer extends EventTarget {
  controller: object | null = {}
  readonly registration = new FakeRegistration()
  readonly register = vi.fn(() => Promise.resolve(this.registration))
}

let container = new FakeContainer()
const relay = ref('')
const reload = vi.fn()

beforeEach(() => {
  vi.useFakeTimers()
  container = new FakeContainer()
  relay.value = ''
  reload.mockReset()
  Object.defineProperty(navigator, 'serviceWorker', { value: container, configurable: true })
})

afterEach(() => {
  vi.useRealTimers()
  Reflect.deleteProperty(navigator, 'serviceWorker')
})

async function started() {
  const update = startWorker(() => relay.value, reload)
  await update.install()
  return update
}

describe('a newer build', () => {
  test('is offered and never taken by itself', async () => {
    const update = await started()
    const worker = container.registration.found()
    expect(update.isReady.value).toBe(false)
    worker.become('installed')
    expect(update.isReady.value).toBe(true)
    expect(worker.postMessage).not.toHaveBeenCalled()
    expect(reload).not.toHaveBeenCalled()
  })

  test('that waits already is offered at once', async () => {
    container.registration.waiting = new FakeWorker()
    expect((await started()).isReady.value).toBe(true)
  })

  test('takes over before the page is loaded again', async () => {
    const worker = new FakeWorker()
    container.registration.waiting = worker
    const update = await started()
    update.reload()
    await nextTick()
    expect(worker.postMessage).toHaveBeenCalledWith('activate')
    expect(reload).not.toHaveBeenCalled()
    container.dispatchEvent(new Event('controllerchange'))
    await vi.waitFor(() => {
      expect(reload).toHaveBeenCalledOnce()
    })
  })

  test('that another tab has changed to is offered here', async () => {
    const update = await started()
    container.dispatchEvent(new Event('controllerchange'))
    expect(update.isReady.value).toBe(true)
    expect(reload).not.toHaveBeenCalled()
  })

  test('is looked for when the relay has become another one', async () => {
    await started()
    relay.value = __APP_VERSION__
    await nextTick()
    expect(container.registration.update).not.toHaveBeenCalled()
    relay.value = '99.0.0'
    await nextTick()
    expect(container.registration.update).toHaveBeenCalledOnce()
  })

  test('the first worker of all is no news', async () => {
    container.controller = null
    const update = await started()
    container.registration.found().become('installed')
    expect(update.isReady.value).toBe(false)
  })
})

test('an offer to install the page is kept until somebody wants it', async () => {
  const update = await started()
  const prompt = vi.fn(() => Promise.resolve())
  const event = Object.assign(new Event('beforeinstallprompt', { cancelable: true }), { prompt })
  window.dispatchEvent(event)
  expect([event.defaultPrevented, update.canInstall.value, prompt.mock.calls.length]).toEqual([true, true, 0])
  update.installApp()
  expect([update.canInstall.value, prompt.mock.calls.length]).toEqual([false, 1])
})

describe('a reload', () => {
  test('waits for a build that is on its way, but not for ever', async () => {
    const update = await started()
    container.registration.found()
    update.reload()
    await vi.advanceTimersByTimeAsync(7_000)
    expect(reload).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(reload).toHaveBeenCalledOnce()
  })

  test('without a worker, on plain http, simply reloads', async () => {
    Object.defineProperty(navigator, 'serviceWorker', { value: undefined, configurable: true })
    const update = await started()
    update.reload()
    await vi.waitFor(() => {
      expect(reload).toHaveBeenCalledOnce()
    })
  })

  test('works where workers are forbidden', async () => {
    container.register.mockRejectedValue(new DOMException('no', 'SecurityError'))
    const update = await started()
    update.reload()
    await vi.waitFor(() => {
      expect(reload).toHaveBeenCalledOnce()
    })
  })
})
