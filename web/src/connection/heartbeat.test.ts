import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { Heartbeat } from './heartbeat'

let left: number
let dead: () => void
let heartbeat: Heartbeat

beforeEach(() => {
  vi.useFakeTimers()
  left = 0
  dead = vi.fn<() => void>()
  heartbeat = new Heartbeat(vi.fn(), dead, () => 'ref', () => left)
})

afterEach(() => {
  vi.useRealTimers()
})

test('no ack within five seconds means dead', () => {
  heartbeat.probe()
  vi.advanceTimersByTime(5_000)
  expect(dead).toHaveBeenCalledOnce()
})

test('a long upload that moves is alive, one that stands still is not', () => {
  left = 9_000_000
  heartbeat.probe()
  for (const now of [6_000_000, 3_000_000]) {
    left = now
    vi.advanceTimersByTime(5_000)
  }
  expect(dead).not.toHaveBeenCalled()
  vi.advanceTimersByTime(5_000)
  expect(dead).toHaveBeenCalledOnce()
})

test('its own ack ends the wait', () => {
  heartbeat.probe()
  expect(heartbeat.heard('other')).toBe(false)
  expect(heartbeat.heard('ref')).toBe(true)
  vi.advanceTimersByTime(5_000)
  expect(dead).not.toHaveBeenCalled()
})
