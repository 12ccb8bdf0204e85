import Big from 'big.js'

import { ToolError } from '../result'
import { exactArguments, type Operation } from './operators'

export interface Calculation {
  readonly a: string
  readonly b: string
  readonly value: string
  /** False if the value was rounded. */
  readonly exact: boolean
}

/** Decimal places of a quotient that does not end. */
const PLACES = 40
/** Digits before and after the point together; a number like 1e999999 would fill the memory. */
const MOST_DIGITS = 1_000
const DECIMAL = /^-?\d{1,1000}(?:\.\d{1,1000})?(?:e[+-]?\d{1,4})?$/i

const Decimal = Big()
Decimal.DP = PLACES
// Never written with an exponent: the limit on digits keeps the text short.
Decimal.NE = -MOST_DIGITS * 2
Decimal.PE = MOST_DIGITS * 2

function decimalOf(name: string, value: unknown): Big {
  if (typeof value !== 'string' || !DECIMAL.test(value)) {
    throw new ToolError('invalid_argument', `${name} must be a decimal number of at most ${MOST_DIGITS} digits`)
  }
  const decimal = new Decimal(value)
  if (Math.abs(decimal.e) + decimal.c.length > MOST_DIGITS) {
    throw new ToolError('invalid_argument', `${name} has more than ${MOST_DIGITS} digits`)
  }
  return decimal
}

/** Calculates exactly; only a quotient may have to be rounded. */
export function calculate(operation: Operation, argumentsJson: string): Calculation {
  const args = exactArguments(argumentsJson)
  const [a, b] = [decimalOf('a', args?.a), decimalOf('b', args?.b)]
  if (operation === 'divide') {
    if (b.eq(0)) throw new ToolError('invalid_argument', 'cannot divide by zero')
    const quotient = a.div(b)
    return { a: a.toString(), b: b.toString(), value: quotient.toString(), exact: quotient.times(b).eq(a) }
  }
  const value = { add: () => a.plus(b), subtract: () => a.minus(b), multiply: () => a.times(b) }[operation]()
  return { a: a.toString(), b: b.toString(), value: value.toString(), exact: true }
}
