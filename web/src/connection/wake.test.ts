import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { listenForWake } from './wake'

const handlers = { wake: vi.fn(), hide: vi.fn(), visibility: vi.fn() }
let stop: () => void

beforeEach(() => {
  vi.useFakeTimers()
  vi.clearAllMocks()
  stop = listenForWake(handlers)
})

afterEach(() => {
  stop()
  vi.useRealTimers()
  vi.restoreAllMocks()
})

function press(): void {
  window.dispatchEvent(new Event('pointerdown'))
}

test('who uses the page is told of at once, then every twenty seconds', () => {
  press()
  expect(handlers.visibility).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(19_000)
  press()
  expect(handlers.visibility).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(1_000)
  window.dispatchEvent(new Event('keydown'))
  expect(handlers.visibility).toHaveBeenCalledTimes(2)
})

test('a page that comes to the front wakes, one that goes hides', () => {
  document.dispatchEvent(new Event('visibilitychange'))
  expect([handlers.visibility, handlers.wake, handlers.hide].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 0])
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
  document.dispatchEvent(new Event('visibilitychange'))
  expect([handlers.visibility, handlers.wake, handlers.hide].map(({ mock }) => mock.calls.length)).toEqual([2, 1, 1])
})

test('nothing is heard after the end', () => {
  stop()
  press()
  window.dispatchEvent(new Event('online'))
  expect([handlers.visibility, handlers.wake].map(({ mock }) => mock.calls.length)).toEqual([0, 0])
})
