import { afterEach, expect, test, vi } from 'vitest'

import { show } from '../testing'
import PictureViewer from './PictureViewer.vue'

const pictures = [{ src: 'data:image/png;base64,AAAA', mime: 'image/png' }, { src: 'files/b.png', mime: 'image/png' }]

afterEach(() => {
  document.body.innerHTML = ''
})

function button(name: string): HTMLButtonElement {
  const found = document.querySelector<HTMLButtonElement>(`.vw button[aria-label="${name}"]`)
  if (!found) throw new Error(`no button ${name}`)
  return found
}

async function opened() {
  const wrapper = show(PictureViewer, { modelValue: true, pictures, start: 1 })
  await vi.waitFor(() => {
    expect(document.querySelector('.vw img')).not.toBeNull()
  })
  return wrapper
}

test('opens at the picture that was chosen, steps round, zooms within limits', async () => {
  await opened()
  const image = () => document.querySelector<HTMLImageElement>('.vw img')!
  expect(image().getAttribute('src')).toBe('files/b.png')
  button('Next picture').click()
  await vi.waitFor(() => {
    expect(image().getAttribute('src')).toBe(pictures[0]!.src)
  })
  expect(button('Zoom out').disabled).toBe(true)
  button('Zoom in').click()
  await vi.waitFor(() => {
    expect(image().style.width).toBe('150%')
  })
})

function swipe(from: number, to: number): void {
  const touch = (type: string, clientY: number) =>
    Object.assign(new Event(type), { touches: [{ clientY }], changedTouches: [{ clientY }] })
  const body = document.querySelector('.vw-b')!
  body.dispatchEvent(touch('touchstart', from))
  body.dispatchEvent(touch('touchend', to))
}

test('closes by its button', async () => {
  const wrapper = await opened()
  button('Close').click()
  expect(wrapper.emitted('update:modelValue')).toEqual([[false]])
})

test('closes by a swipe down, not by a small move', async () => {
  const wrapper = await opened()
  swipe(100, 150)
  expect(wrapper.emitted('update:modelValue')).toBeUndefined()
  swipe(100, 220)
  expect(wrapper.emitted('update:modelValue')).toEqual([[false]])
})

function fingers(type: string, apart: number): Event {
  const touches = [{ clientX: 100, clientY: 100 }, { clientX: 100 + apart, clientY: 100 }]
  return Object.assign(new Event(type, { cancelable: true }), { touches, changedTouches: touches })
}

test('grows and shrinks between two fingers, and fits again when it is small', async () => {
  await opened()
  const body = document.querySelector('.vw-b')!
  const image = () => document.querySelector<HTMLImageElement>('.vw img')!
  body.dispatchEvent(fingers('touchstart', 100))
  const move = fingers('touchmove', 250)
  body.dispatchEvent(move)
  expect(move.defaultPrevented).toBe(true)
  await vi.waitFor(() => {
    expect(image().style.width).toBe('250%')
  })
  body.dispatchEvent(fingers('touchmove', 90))
  await vi.waitFor(() => {
    expect(image().className).toBe('fit')
  })
})

test('zooms by keys; enlarged, the arrows are for moving', async () => {
  await opened()
  const image = () => document.querySelector<HTMLImageElement>('.vw img')!
  const press = (key: string) => document.querySelector('.vw')!.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
  press('+')
  press('ArrowRight')
  await vi.waitFor(() => {
    expect(image().style.width).toBe('150%')
  })
  expect(image().getAttribute('src')).toBe('files/b.png')
  press('0')
  press('ArrowLeft')
  await vi.waitFor(() => {
    expect(image().getAttribute('src')).toBe(pictures[0]!.src)
  })
})
