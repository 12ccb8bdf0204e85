import { afterEach, expect, test, vi } from 'vitest'

import { copyText } from './useCopy'

afterEach(() => {
  vi.unstubAllGlobals()
})

function withExecCommand(copy: () => boolean) {
  const copied: string[] = []
  Object.defineProperty(document, 'execCommand', {
    configurable: true,
    value: () => {
      const active = document.activeElement
      if (active instanceof HTMLTextAreaElement) copied.push(active.value)
      return copy()
    },
  })
  return copied
}

test('B62: on plain http a selection is copied, and the focus comes back', async () => {
  vi.stubGlobal('navigator', {})
  const copied = withExecCommand(() => true)
  const button = document.body.appendChild(document.createElement('button'))
  button.focus()
  expect(await copyText('a\n b')).toBe(true)
  expect(copied).toEqual(['a\n b'])
  expect(document.activeElement).toBe(button)
  expect(document.querySelector('textarea')).toBeNull()
})

test('a browser that refuses says so', async () => {
  vi.stubGlobal('navigator', {})
  withExecCommand(() => false)
  expect(await copyText('x')).toBe(false)
})
