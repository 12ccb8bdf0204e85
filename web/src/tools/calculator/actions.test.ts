import { describe, expect, test } from 'vitest'

import { ToolError } from '../result'
import { calculate } from './actions'
import type { Operation } from './operators'
import { runCalculator } from './run'

function value(operation: Operation, a: string, b: string): string {
  return calculate(operation, `{"a": ${a}, "b": ${b}}`).value
}

test('decimals are exact', () => {
  expect(value('add', '0.1', '0.2')).toBe('0.3')
  expect(value('subtract', '1', '0.9')).toBe('0.1')
  expect(value('multiply', '1.1', '1.1')).toBe('1.21')
  expect(value('divide', '8112.40', '214')).toMatch(/^37\.908411214953271028/)
})

test('numbers that JavaScript would round stay as they were written', () => {
  expect(value('add', '12345678901234567890', '1')).toBe('12345678901234567891')
  expect(value('multiply', '9007199254740993', '3')).toBe('27021597764222979')
  expect(value('add', '1e-30', '1E+2')).toBe('100.000000000000000000000000000001')
})

test('it says whether a quotient was rounded', () => {
  expect(calculate('divide', '{"a":1,"b":8}')).toMatchObject({ value: '0.125', exact: true })
  expect(calculate('divide', '{"a":1,"b":3}')).toMatchObject({ value: `0.${'3'.repeat(40)}`, exact: false })
  expect(calculate('divide', '{"a":-7,"b":2}').value).toBe('-3.5')
})

describe('what cannot be calculated', () => {
  const refused: readonly (readonly [string, string, RegExp])[] = [
    ['divide by zero', '{"a":1,"b":0}', /divide by zero/],
    ['divide by minus zero', '{"a":1,"b":-0.000}', /divide by zero/],
    ['no number', '{"a":"x","b":1}', /^a must be/],
    ['a missing one', '{"a":1}', /^b must be/],
    ['no object', '[1,2]', /^a must be/],
    ['no JSON', '{"a":', /^a must be/],
    ['one that would fill the memory', '{"a":1e999999,"b":1}', /^a must be/],
    ['one with too many digits', `{"a":1,"b":1e1500}`, /^b has more/],
    ['one with too many zeros', `{"a":1e-1500,"b":1}`, /^a has more/],
  ]
  test.each(refused)('%s', (_, json, words) => {
    expect(() => calculate('divide', json)).toThrow(words)
    expect(() => calculate('divide', json)).toThrow(ToolError)
  })

  test('an action that it does not have', () => {
    const call = { callId: 'c', name: 'calculator', action: 'constructor', argumentsJson: '{"a":1,"b":1}', applicationId: '', agentId: '', timeoutMs: 0, atMs: 0 }
    expect(() => runCalculator(call)).toThrow(/no action/)
  })
})

test('the result says it in words first', () => {
  const call = { callId: 'c', name: 'calculator', action: 'divide', argumentsJson: '{"a":1,"b":3}', applicationId: '', agentId: '', timeoutMs: 0, atMs: 0 }
  expect(runCalculator(call).result).toEqual({ message: `0.${'3'.repeat(40)} (rounded)`, value: `0.${'3'.repeat(40)}`, exact: false })
})
