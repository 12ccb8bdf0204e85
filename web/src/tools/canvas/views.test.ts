import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { byRole, show } from '../../components/testing'
import CanvasPaper from './CanvasPaper.vue'
import CanvasPens from './CanvasPens.vue'
import { INK } from './actions'
import { usePen, type Point } from './usePen'

beforeEach(() => {
  setActivePinia(createPinia())
})

afterEach(() => {
  document.body.innerHTML = ''
})

describe('the pen', () => {
  function pen() {
    const lines: (readonly Point[])[] = []
    return { lines, ...usePen(() => ({ width: 100, height: 80 }), (points) => void lines.push(points)) }
  }

  test('draws from where it is put down to where it is lifted, on the paper only', () => {
    const { lines, start, move, end } = pen()
    move([5, 5])
    start([10, 10])
    move([500, -5])
    end()
    end()
    expect(lines).toEqual([[[10, 10], [100, 0]]])
  })

  test('is moved by arrow keys, put down and lifted by Space', () => {
    const { lines, at, isDown, key } = pen()
    expect(key('Tab', false)).toBe(false)
    key('ArrowLeft', false)
    expect(at.value).toEqual([40, 40])
    key(' ', false)
    expect(isDown.value).toBe(true)
    key('ArrowDown', false)
    key('ArrowRight', true)
    key(' ', false)
    expect(lines).toEqual([[[40, 40], [40, 50], [41, 50]]])
    expect(isDown.value).toBe(false)
  })
})

describe('the paper', () => {
  const drawing = { width: 100, height: 80, strokes: [{ path: 'M 0 0 L 9 9', color: 'red', width: 3, by: 'agent' as const }] }

  test('shows the strokes as they are', () => {
    const wrapper = show(CanvasPaper, { drawing, color: INK, width: 4 })
    const path = wrapper.get('path')
    expect([path.attributes('d'), path.attributes('stroke'), path.attributes('stroke-width')]).toEqual(['M 0 0 L 9 9', 'red', '3'])
    expect(wrapper.get('svg').attributes('viewBox')).toBe('0 0 100 80')
    expect(wrapper.get('svg').attributes('aria-label')).toBe('Drawing, 1 stroke')
  })

  test('can be drawn on with the keyboard alone', async () => {
    const wrapper = show(CanvasPaper, { drawing, color: '#d2382c', width: 4 })
    const svg = wrapper.get('svg')
    for (const key of [' ', 'ArrowRight', ' ']) await svg.trigger('keydown', { key })
    expect(wrapper.emitted('stroke')).toEqual([[{ path: 'M 50 40 L 60 40', color: '#d2382c', width: 4, by: 'human' }]])
  })
})

test('colours and widths are radios with names', async () => {
  const wrapper = show(CanvasPens, { color: INK, width: 4 })
  await byRole(wrapper, 'radio', { name: 'Green' }).setValue()
  await byRole(wrapper, 'radio', { name: 'Thick line' }).setValue()
  expect(wrapper.emitted('update:color')).toEqual([['#1a7443']])
  expect(wrapper.emitted('update:width')).toEqual([[10]])
})
