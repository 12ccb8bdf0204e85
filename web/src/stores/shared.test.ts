import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { useShared } from './shared'

beforeEach(() => {
  setActivePinia(createPinia())
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

test('the newest revision of a setting counts, whatever comes in which order', () => {
  const shared = useShared()
  shared.apply('k', '[2]', 2)
  shared.apply('k', '[1]', 1)
  expect(shared.settings.get('k')).toEqual({ value: [2], revision: 2 })
  shared.apply('k', '{broken', 3)
  expect(shared.settings.get('k')).toEqual({ value: null, revision: 3 })
})

test('somebody is writing for six seconds after the last sign of it', () => {
  const shared = useShared()
  shared.typed('r1', 'iPad')
  vi.advanceTimersByTime(4_000)
  shared.typed('r1', 'iPad')
  vi.advanceTimersByTime(4_000)
  expect(shared.typing.r1).toBe('iPad')
  vi.advanceTimersByTime(2_000)
  expect(shared.typing.r1).toBe('')
})
