import { expect, test } from 'vitest'

import page from '../../index.html?raw'
import manifest from '../../public/manifest.webmanifest?raw'
import source from './tokens.css?raw'

function block(start: string): Map<string, string> {
  const from = source.indexOf('{', source.indexOf(start)) + 1
  const body = source.slice(from, source.indexOf('}', from))
  return new Map([...body.matchAll(/(--[\w-]+):\s*([^;]+);/g)].map(([, name, value]) => [name!, value!.trim()]))
}

const light = new Map([...block(':root {'), ['--c-danger-ink', '#bf2a1f']])
const system = block(':root:not([data-theme="light"])')
const chosen = block(':root[data-theme="dark"]')
const dark = new Map([...light, ...chosen])

function luminance(color: string): number {
  const channels = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255)
  const [r, g, b] = channels.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
}

function contrast(theme: ReadonlyMap<string, string>, front: string, back: string): number {
  const [a, b] = [luminance(theme.get(front)!), luminance(theme.get(back)!)].sort((x, y) => y - x)
  return (a! + 0.05) / (b! + 0.05)
}

const TEXT: [string, string][] = [
  ['--c-ink', '--c-bg'],
  ['--c-ink', '--c-bubble'],
  ['--c-ink', '--c-accent-soft'],
  ['--c-ink-2', '--c-bg'],
  ['--c-ink-2', '--c-sunken'],
  ['--c-ink-2', '--c-raised'],
  ['--c-ink-3', '--c-bg'],
  ['--c-ink-3', '--c-sunken'],
  ['--c-ink-3', '--c-raised'],
  ['--c-on-accent', '--c-accent'],
  ['--c-on-accent', '--c-accent-press'],
  ['--c-on-accent-2', '--c-accent'],
  ['--c-accent-ink', '--c-bg'],
  ['--c-accent-ink', '--c-sunken'],
  ['--c-ok', '--c-bg'],
  ['--c-warn', '--c-bg'],
  ['--c-warn', '--c-warn-soft'],
  ['--c-danger-ink', '--c-bg'],
  ['--c-danger-ink', '--c-danger-soft'],
  ['--c-add-ink', '--c-add'],
  ['--c-del-ink', '--c-del'],
  ...[1, 2, 3, 4, 5, 6].map((n): [string, string] => [`--h${n}`, `--h${n}-bg`]),
]

test('both dark blocks are equal', () => {
  expect(Object.fromEntries(chosen)).toEqual(Object.fromEntries(system))
  expect(chosen.size).toBeGreaterThan(40)
})

test.each(TEXT)('%s can be read on %s in both themes', (front, back) => {
  expect(contrast(light, front, back)).toBeGreaterThanOrEqual(4.5)
  expect(contrast(dark, front, back)).toBeGreaterThanOrEqual(4.5)
})

test('controls can be told from their ground', () => {
  for (const theme of [light, dark]) {
    expect(contrast(theme, '--c-control', '--c-bg')).toBeGreaterThanOrEqual(3)
    expect(contrast(theme, '--c-control', '--c-raised')).toBeGreaterThanOrEqual(3)
  }
})

test('the frame around the page has its colour', () => {
  const frame = [...page.matchAll(/theme-color" content="(#\w+)"/g)].map(([, colour]) => colour)
  expect(frame).toEqual([light.get('--c-bg'), dark.get('--c-bg')])
  expect(JSON.parse(manifest)).toMatchObject({ theme_color: light.get('--c-bg'), background_color: light.get('--c-bg') })
})
