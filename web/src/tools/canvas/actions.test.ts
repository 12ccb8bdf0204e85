import { describe, expect, test } from 'vitest'

import { ToolError } from '../result'
import { agentStroke, clear, draw, humanStroke, INK, openDrawing, undo, type Drawing } from './actions'
import { cleanColour } from './colour'
import { cleanPath } from './path'

const EMPTY = openDrawing({ width: 100, height: 80 })

function drawn(...paths: string[]): Drawing {
  return paths.reduce((drawing, path) => draw(drawing, agentStroke({ path })), EMPTY)
}

describe('a drawing', () => {
  test('opens with the asked size and nothing on it', () => {
    expect(EMPTY).toEqual({ width: 100, height: 80, strokes: [] })
    for (const width of [15, 4097, 20.5, '100', null, Number.NaN]) {
      expect(() => openDrawing({ width, height: 80 })).toThrow(/width must be a whole number/)
    }
  })

  test('takes strokes with colour and width, or the usual ones', () => {
    expect(agentStroke({ path: 'M0 0L9 9' })).toEqual({ path: 'M 0 0 L 9 9', color: INK, width: 3, by: 'agent' })
    expect(agentStroke({ path: 'M0 0L9 9', color: ' Tomato ', width: 8 })).toMatchObject({ color: 'tomato', width: 8 })
    expect(() => agentStroke({ path: 'M0 0L9 9', width: 0 })).toThrow(/width/)
    expect(() => agentStroke({ color: 'red' })).toThrow(/path must be a text/)
  })

  test('undo takes back the own last stroke only', () => {
    const human = humanStroke([[1, 1]], INK, 4)
    const both = draw(drawn('M0 0L1 1', 'M0 0L2 2'), human!)
    expect(undo(both, 'agent').strokes.map(({ path }) => path)).toEqual(['M 0 0 L 1 1', 'M 1 1 L 1 1'])
    expect(undo(both, 'human').strokes).toHaveLength(2)
    expect(undo(EMPTY, 'agent')).toBe(EMPTY)
  })

  test('clear takes all', () => {
    expect(clear(drawn('M0 0L1 1')).strokes).toEqual([])
    expect(clear(EMPTY)).toBe(EMPTY)
  })

  test('does not grow without end', () => {
    const stroke = agentStroke({ path: 'M0 0L1 1' })
    const full = { ...EMPTY, strokes: Array.from({ length: 5_000 }, () => stroke) }
    expect(() => draw(full, stroke)).toThrow(/canvas is full/)
    const long = agentStroke({ path: `M0 0${'L1 1'.repeat(9_000)}` })
    const heavy = { ...EMPTY, strokes: Array.from({ length: 40 }, () => long) }
    expect(() => draw(heavy, long)).toThrow(/canvas is full/)
  })

  test('a finger leaves a line, a tap a dot, nothing nothing', () => {
    expect(humanStroke([[1.234, 2], [3, 4]], INK, 4)?.path).toBe('M 1.2 2 L 3 4')
    expect(humanStroke([[5, 6]], INK, 4)?.path).toBe('M 5 6 L 5 6')
    expect(humanStroke([], INK, 4)).toBeNull()
  })
})

describe('a path', () => {
  const paths: readonly (readonly [string, string])[] = [
    ['M10 10 L90 90', 'M 10 10 L 90 90'],
    ['m1,2,3,4z', 'm 1 2 3 4 z'],
    ['M.5-.5l1e1-2', 'M 0.5 -0.5 l 10 -2'],
    ['M0 0C1 2 3 4 5 6 7 8 9 10 11 12', 'M 0 0 C 1 2 3 4 5 6 7 8 9 10 11 12'],
    ['M0 0a1 1 0 01 5 5', 'M 0 0 a 1 1 0 0 1 5 5'],
    ['M0 0a1 1 0 1015 5', 'M 0 0 a 1 1 0 1 0 15 5'],
    ['M 0 0 H 5 V 6 Q 1 2 3 4 T 5 6 S 1 2 3 4 Z', 'M 0 0 H 5 V 6 Q 1 2 3 4 T 5 6 S 1 2 3 4 Z'],
  ]
  test.each(paths)('%s', (path, clean) => {
    expect(cleanPath(path)).toBe(clean)
    expect(cleanPath(clean)).toBe(clean)
  })

  const hostile = [
    '',
    ' ',
    'L 1 1',
    'M',
    'M 1',
    'M 0 0 L 1',
    'M 0 0 Z 1',
    'M 0 0 X 1 1',
    'M 0 0 L 1e9 1',
    'M 0 0 L 1e999 1',
    'M 0 0 L NaN 1',
    'M 0 0 L 1 1"/><script>alert(1)</script>',
    'M 0 0 url(#x)',
    'M 0 0 a 1 1 0 2 1 5 5',
    'javascript:alert(1)',
    'M 0 0 L 1 1\u0000',
    `M 0 0${'L1 1'.repeat(30_000)}`,
    `M 0 0${' 1'.repeat(30_000)}`,
  ]
  test.each(hostile)('%s is refused', (path) => {
    expect(() => cleanPath(path)).toThrow(ToolError)
  })
})

test('colours are names and plain values', () => {
  for (const colour of ['#1a2b3c', '#ABC', '#abcd', '#aabbccdd', 'RebeccaPurple', 'rgb(1, 2, 3)', 'rgba(1,2,3,.5)']) {
    expect(cleanColour(colour)).toBe(colour.toLowerCase())
  }
  for (const colour of ['', '#12', '#12345', 'url(http://x.test)', 'var(--c)', 'redd', 'constructor', 'rgb(1,2)', 'red;x', `#fff${' '.repeat(99)}x`]) {
    expect(() => cleanColour(colour)).toThrow(ToolError)
  }
})
