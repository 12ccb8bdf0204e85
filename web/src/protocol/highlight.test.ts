import { expect, test } from 'vitest'

import { highlighted } from './highlight'

const HOSTILE = '<img src=x onerror=alert(1)> &amp; "</code>" \t é 😀\n\n  x < y && y > z\n'

test('colours and keeps every character of what is copied', () => {
  for (const language of ['py', 'ts', 'sh', 'vue', 'json', 'sql', 'yaml', 'rs', 'console']) {
    const element = document.createElement('template')
    const html = highlighted(HOSTILE, language)
    element.innerHTML = html ?? ''
    expect(element.content.textContent).toBe(HOSTILE)
    expect([...element.content.querySelectorAll('*')].every(({ localName }) => localName === 'span')).toBe(true)
  }
  expect(highlighted('const a = 1', 'js')).toContain('<span class="hljs-keyword">const</span>')
})

test('leaves unknown languages and very long code alone', () => {
  expect(highlighted('x', 'no-such')).toBeNull()
  expect(highlighted('x'.repeat(40_001), 'js')).toBeNull()
})

test('forgets the oldest of many results', () => {
  for (let n = 0; n < 150; n += 1) expect(highlighted(`let a${n}`, 'js')).toContain(`a${n}`)
})
