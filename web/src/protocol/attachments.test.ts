import { describe, expect, test } from 'vitest'

import { fitWithin, kindOf, nameFor, outgoingOf, refusalOf, sizeText } from './attachments'
import { anAttachment } from './testing'

const limits = { messageBytes: 1024 * 1024, contentsPerMessage: 4 }
const bytes = (count: number) => new Uint8Array(count)

test.each([
  [4032, 3024, 1568, 1176],
  [3024, 4032, 1176, 1568],
  [800, 600, 800, 600],
  [10_000, 1, 1568, 1],
])('B39: %i × %i becomes %i × %i', (width, height, w, h) => {
  expect(fitWithin(width, height)).toEqual({ width: w, height: h })
})

test('what a type is', () => {
  expect(['image/heic', 'image/svg+xml', 'audio/webm;codecs=opus', 'application/pdf', ''].map(kindOf)).toEqual([
    'image', 'file', 'audio', 'file', 'file',
  ])
})

describe('limits', () => {
  const file = (size: number) => anAttachment({ kind: 'file', bytes: bytes(size) })

  test('a file that fits', () => {
    expect(refusalOf([], outgoingOf(file(500_000)), limits)).toBeNull()
  })

  test('a picture counts as base64', () => {
    const picture = anAttachment({ bytes: bytes(500_000) })
    expect(refusalOf([], outgoingOf(picture), limits)).toMatchObject({ code: 'too_large', limit: 393_216 })
  })

  test('all together count', () => {
    expect(refusalOf([file(400_000)], outgoingOf(file(300_000)), limits)).toMatchObject({ code: 'too_large' })
  })

  test('one content is for the words', () => {
    const three = [file(1), file(1), file(1)]
    expect(refusalOf(three, outgoingOf(file(1)), limits)).toMatchObject({ code: 'too_many', limit: 3 })
  })

  test('nothing, or a folder, cannot be sent', () => {
    expect(refusalOf([], outgoingOf(file(0)), limits)).toMatchObject({ code: 'bad_type' })
  })
})

test('the original goes out only when it was asked for', () => {
  const original = { mime: 'image/png', bytes: bytes(9) }
  expect(outgoingOf(anAttachment({ original })).bytes).toHaveLength(3)
  expect(outgoingOf(anAttachment({ original, sendOriginal: true }))).toMatchObject({ mime: 'image/png', bytes: bytes(9) })
})

test('sizes and names', () => {
  expect(sizeText(3_140_000, 'en')).toBe('3.1 MB')
  expect(sizeText(48_000, 'en')).toBe('48 kB')
  expect(nameFor('image', 'image/jpeg', 2)).toBe('image-2.jpg')
  expect(nameFor('audio', 'audio/webm;codecs=opus', 1)).toBe('audio-1.webm')
})
