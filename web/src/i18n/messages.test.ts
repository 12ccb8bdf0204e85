import { expect, test } from 'vitest'
import { createI18n } from 'vue-i18n'

import { en } from './en'
import { late } from './en/late'
import { zhCN } from './zhCN'

interface Tree { readonly [key: string]: string | Tree }

function flat(tree: Tree, path = ''): Map<string, string> {
  return new Map(
    Object.entries(tree).flatMap(([key, value]) =>
      typeof value === 'string' ? [[path + key, value] as const] : [...flat(value, `${path}${key}.`)],
    ),
  )
}

const whole = { ...en, ...late }
const english = flat(whole)
const chinese = flat(zhCN)

function places(text: string): string[] {
  return [...new Set(text.match(/\{\w+\}/g) ?? [])].sort()
}

test('both languages have the same texts, none empty', () => {
  expect([...chinese.keys()].sort()).toEqual([...english.keys()].sort())
  for (const text of [...english.values(), ...chinese.values()]) expect(text.trim()).not.toBe('')
})

test('both languages fill in the same values', () => {
  for (const [key, text] of english) {
    // A text for one may leave the number out.
    expect(places(chinese.get(key) ?? ''), key).toEqual(places(text))
  }
})

test('Chinese uses full-width marks and spaces between Chinese and Latin', () => {
  for (const [key, text] of chinese) {
    expect(text, key).not.toMatch(/[\u4e00-\u9fff][,;:!?]/)
    expect(text, key).not.toMatch(/[\u4e00-\u9fff][A-Za-z0-9{]|[A-Za-z0-9}][\u4e00-\u9fff]/)
  }
})

test('no text begs, apologises or shouts', () => {
  for (const [key, text] of english) expect(text, key).not.toMatch(/please|oops|sorry|successfully|!/i)
})

test('every text compiles without generated code', () => {
  for (const [locale, texts] of [['en', english], ['zh-CN', chinese]] as const) {
    const i18n = createI18n({ legacy: false, locale, messages: { en: whole, 'zh-CN': zhCN } })
    for (const key of texts.keys()) expect(i18n.global.t(key, { n: 2, m: 3 }, 2), key).not.toBe(key)
  }
})
