import { mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { useSettings } from '../stores/settings'
import { useKeys, useSendAnywhere } from './useKeys'

const send = vi.fn(() => true)

function press(selector: string, more: KeyboardEventInit = {}): boolean {
  const event = new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true, ...more })
  return document.querySelector(selector)!.dispatchEvent(event)
}

beforeEach(() => {
  send.mockClear()
  const setup = () => {
    useSendAnywhere(send)
  }
  mount({ setup, template: '<p /><input type="radio" /><input type="text" /><textarea /><button />' }, { attachTo: document.body })
})

afterEach(() => {
  document.body.innerHTML = ''
})

test('Ctrl+Enter and Cmd+Enter send from an option, a button and the page', () => {
  for (const from of ['p', '[type=radio]', 'button', 'body']) press(from)
  press('p', { ctrlKey: false, metaKey: true })
  expect(send).toHaveBeenCalledTimes(5)
})

test('not from a text field, an input method, a held key, or without the modifier', () => {
  for (const from of ['[type=text]', 'textarea']) press(from)
  press('p', { isComposing: true })
  press('p', { repeat: true })
  press('p', { ctrlKey: false })
  expect(send).not.toHaveBeenCalled()
})

test('single keys can be switched off, keys with Ctrl stay', () => {
  setActivePinia(createPinia())
  const single = vi.fn(() => true)
  const setup = () => {
    useKeys(single)
  }
  mount({ setup, template: '<i />' }, { attachTo: document.body })
  press('p', { key: 'r', ctrlKey: false })
  expect(single).toHaveBeenCalledOnce()
  useSettings().hasKeys = false
  press('p', { key: 'r', ctrlKey: false })
  expect(single).toHaveBeenCalledOnce()
  press('p')
  expect(send).toHaveBeenCalledOnce()
})
