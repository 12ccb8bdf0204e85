import { expect, test } from 'vitest'
import { createI18n } from 'vue-i18n'

import { compiled, type Texts } from './compile'
import { en } from './en'
import { late } from './en/late'
import { zhCN } from './zhCN'

function flat(tree: Texts, path = ''): Map<string, string> {
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

test('no text uses what our compiler does not know', () => {
  for (const text of [...english.values(), ...chinese.values()]) {
    expect(text.replaceAll(/\{\w+\}/g, '')).not.toMatch(/[{}@]|\S\||\|\S/)
  }
})

test('every text can be filled in', () => {
  for (const [locale, texts] of [['en', english], ['zh-CN', chinese]] as const) {
    const i18n = createI18n({ legacy: false, locale, messages: { en: compiled(whole), 'zh-CN': compiled(zhCN) } })
    for (const [key, text] of texts) {
      const values = Object.fromEntries(places(text).map((place) => [place.slice(1, -1), 'value']))
      expect(i18n.global.t(key, { n: 2, ...values }, 2), key).not.toMatch(/[{}|]/)
    }
  }
})

test('a text takes the form for its number, and a value as it is', () => {
  const messages = { en: compiled({ two: '1 file | {n} files', three: 'none | one | {n}', value: 'To {name}: {left_out}.', space: ', ' }) }
  const { t } = createI18n({ legacy: false, locale: 'en', messages }).global
  expect([t('two', 1), t('two', 5), t('two', { n: 0 }, 0)]).toEqual(['1 file', '5 files', '0 files'])
  expect([t('three', 0), t('three', 1), t('three', 7)]).toEqual(['none', 'one', '7'])
  expect(t('space')).toBe(', ')
  expect(t('value', { name: '{n} | $&' })).toBe('To {n} | $&: .')
})

test('a value cannot turn the sentence around it', () => {
  const { t } = createI18n({ legacy: false, locale: 'en', messages: { en: compiled({ said: '“{words}” by {who}' }) } }).global
  const said = (words: string) => t('said', { words, who: 'Ada' })
  expect(said('plain – 中文 🙂')).toBe('“plain – 中文 🙂” by Ada')
  expect(said('\u202eevil')).toBe('“\u2068\u202eevil\u2069” by Ada')
  expect(said('שלום')).toBe('“\u2068שלום\u2069” by Ada')
  expect(said('\u{1e900}')).toBe('“\u2068\u{1e900}\u2069” by Ada')
  // Its own end of an isolate is not ours.
  expect(said('\u2069\u202eevil')).toBe('“\u2068\u202eevil\u2069” by Ada')
})
