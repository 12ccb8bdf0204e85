import { ToolError } from '../result'

/** How many numbers each command takes. */
const NUMBERS: Readonly<Record<string, number>> = { m: 2, l: 2, h: 1, v: 1, c: 6, s: 4, q: 4, t: 2, a: 7, z: 0 }
const MOST_CHARACTERS = 100_000
const MOST_TOKENS = 30_000
/** Far outside of every canvas; beyond it browsers disagree. */
const FARTHEST = 100_000

const TOKEN = /([a-z])|([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d{1,3})?)|([\s,]+)|(.)/giu
const FLAG = /^[01]/

/**
 * Checks SVG path data and writes it again in one plain form: nothing but commands and numbers comes
 * out, whatever went in.
 */
export function cleanPath(path: string): string {
  if (path.length > MOST_CHARACTERS) throw wrong(`has more than ${MOST_CHARACTERS} characters`)
  const commands: { readonly letter: string; readonly numbers: number[] }[] = []
  let count = 0
  for (const [text, letter, number, gap] of path.matchAll(TOKEN)) {
    const last = commands.at(-1)
    if (gap) continue
    if (letter) commands.push({ letter: known(letter, last === undefined), numbers: [] })
    else if (!last) throw wrong('must begin with M')
    else if (!number) throw wrong(`has a character that is no path: ${text}`)
    else for (const value of valuesOf(number, last.letter, last.numbers.length)) last.numbers.push(value)
    count += 1
    if (count > MOST_TOKENS) throw wrong(`has more than ${MOST_TOKENS} commands and numbers`)
  }
  if (commands.length === 0) throw wrong('is empty')
  return commands.map(({ letter, numbers }) => complete(letter, numbers)).join(' ')
}

function known(letter: string, isFirst: boolean): string {
  if (!Object.hasOwn(NUMBERS, letter.toLowerCase())) throw wrong(`has an unknown command ${letter}`)
  if (isFirst && letter.toLowerCase() !== 'm') throw wrong('must begin with M')
  return letter
}

/** A command with as many numbers as it takes, once or several times. */
function complete(letter: string, numbers: readonly number[]): string {
  const each = NUMBERS[letter.toLowerCase()] ?? 0
  const isWhole = each === 0 ? numbers.length === 0 : numbers.length > 0 && numbers.length % each === 0
  if (!isWhole) throw wrong(`has a wrong number of values after ${letter}`)
  return [letter, ...numbers].join(' ')
}

/** The two flags of an arc may stand before the next number without a gap: "a1 1 0 01 5 5". */
function valuesOf(text: string, command: string, at: number): number[] {
  const isFlag = command.toLowerCase() === 'a' && [3, 4].includes(at % 7)
  if (isFlag && text.length > 1 && FLAG.test(text)) {
    const rest = text.slice(1)
    return [Number(text.charAt(0)), ...valuesOf(rest, command, at + 1)]
  }
  const value = Number(text)
  if (!Number.isFinite(value) || Math.abs(value) > FARTHEST) throw wrong(`has a number that is too large: ${text.slice(0, 20)}`)
  if (isFlag && value !== 0 && value !== 1) throw wrong('has an arc whose flags are not 0 or 1')
  return [value]
}

function wrong(what: string): ToolError {
  return new ToolError('invalid_argument', `path ${what}`)
}
