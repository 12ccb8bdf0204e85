/** The conformance kit that the relay's tests write (tests/golden/envelope), read and written back. */
import { describe, expect, test } from 'vitest'

import { encodeEnvelope, parseEnvelope } from './envelope'

interface Refused {
  readonly frame: string
  readonly code: string
  readonly field: string
  readonly ref: string
}

const SAMPLES = import.meta.glob<string>('../../../tests/golden/envelope/*/*.json', {
  eager: true,
  query: '?raw',
  import: 'default',
})
const REFUSED = import.meta.glob<readonly Refused[]>('../../../tests/golden/envelope/refused.json', {
  eager: true,
  import: 'default',
})

describe('an envelope', () => {
  test.each(Object.entries(SAMPLES))('%s is written as it was read', (path, text) => {
    const read = parseEnvelope(text)

    if (!('envelope' in read)) throw new Error(read.fault.message)
    expect(path).toContain(`/${read.envelope.type}`)
    expect(JSON.parse(encodeEnvelope(read.envelope))).toEqual(JSON.parse(text))
  })

  test('is refused as the relay refuses it, if its outer form is wrong', () => {
    const outer = Object.values(REFUSED)
      .flat()
      .filter(({ code, field, frame }) => {
        // A name that stands twice is lost in JSON.parse.
        const twice = frame.split('"id"').length > 2
        return !field.includes('.') && !twice && code !== 'unknown_command' && !frame.includes('\\ud')
      })

    expect(outer.length).toBeGreaterThan(12)
    for (const { frame, code, field, ref } of outer) {
      expect(parseEnvelope(frame)).toMatchObject({ fault: { code, field, ref } })
    }
  })

  test('has an id of whole characters', () => {
    const read = parseEnvelope('{"v":1,"id":"\\ud800","type":"text","payload":{}}')

    expect(read).toMatchObject({ fault: { field: 'id', ref: '' } })
  })
})
