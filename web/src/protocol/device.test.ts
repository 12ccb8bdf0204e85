import { describe, expect, test } from 'vitest'

import { nameNumber } from './device'

const chrome = (deviceId: string, number = 1, online = true) => ({ deviceId, online, nickname: number > 1 ? `Chrome on Linux ${number}` : 'Chrome on Linux' })

describe('a name that nobody chose', () => {
  test('stays as it is while nobody else has it, or the other one gives way', () => {
    expect(nameNumber('Chrome on Linux', 1, 'b', [])).toBe(1)
    expect(nameNumber('Chrome on Linux', 1, 'a', [chrome('b')])).toBe(1)
    expect(nameNumber('Chrome on Linux', 2, 'b', [chrome('a')])).toBe(2)
  })

  test('gives way to a device that is away', () => {
    expect(nameNumber('Chrome on Linux', 1, 'a', [chrome('b', 1, false)])).toBe(2)
  })

  test('takes the first number that is free', () => {
    expect(nameNumber('Chrome on Linux', 1, 'b', [chrome('a')])).toBe(2)
    expect(nameNumber('Chrome on Linux', 1, 'c', [chrome('a'), chrome('b', 2)])).toBe(3)
  })

  test('ends up different on three devices that came at once', () => {
    const numbers = new Map([['a', 1], ['b', 1], ['c', 1]])
    for (let round = 0; round < 3; round += 1) {
      const seen = [...numbers]
      for (const [id, number] of seen) {
        const others = seen.filter(([other]) => other !== id).map(([other, n]) => chrome(other, n))
        numbers.set(id, nameNumber('Chrome on Linux', number, id, others))
      }
    }
    expect([...numbers.values()]).toEqual([1, 2, 3])
  })
})
