/** The drawing: pure functions from one drawing to the next. */
import { ToolError } from '../result'
import { cleanColour } from './colour'
import { cleanPath } from './path'

export interface Stroke {
  readonly path: string
  readonly color: string
  readonly width: number
  readonly by: 'agent' | 'human'
}

export interface Drawing {
  readonly width: number
  readonly height: number
  readonly strokes: readonly Stroke[]
}

type Arguments = Readonly<Record<string, unknown>>

const SIDE = { least: 16, most: 4096 }
const PEN = { least: 1, most: 200, usual: 3 }
export const INK = '#1f2a44'
const MOST_STROKES = 5_000
/** Of all paths of one drawing, in characters. */
const MOST_CHARACTERS = 2_000_000

function integer(args: Arguments, name: string, { least, most, usual }: { least: number; most: number; usual?: number }): number {
  const value = args[name] ?? usual
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
  throw new ToolError('invalid_argument', `${name} must be a whole number from ${least} to ${most}`)
}

export function text(args: Arguments, name: string, usual?: string): string {
  const value = args[name] ?? usual
  if (typeof value === 'string') return value
  throw new ToolError('invalid_argument', `${name} must be a text`)
}

export function openDrawing(args: Arguments): Drawing {
  return { width: integer(args, 'width', SIDE), height: integer(args, 'height', SIDE), strokes: [] }
}

export function agentStroke(args: Arguments): Stroke {
  return {
    path: cleanPath(text(args, 'path')),
    color: cleanColour(text(args, 'color', INK)),
    width: integer(args, 'width', PEN),
    by: 'agent',
  }
}

export function draw(drawing: Drawing, stroke: Stroke): Drawing {
  const used = drawing.strokes.reduce((sum, { path }) => sum + path.length, stroke.path.length)
  if (drawing.strokes.length >= MOST_STROKES || used > MOST_CHARACTERS) {
    throw new ToolError('too_large', 'the canvas is full: clear it or open another one')
  }
  return { ...drawing, strokes: [...drawing.strokes, stroke] }
}

/** Takes back the last stroke of one of the two; the other's stay. */
export function undo(drawing: Drawing, by: Stroke['by']): Drawing {
  const at = drawing.strokes.map((stroke) => stroke.by).lastIndexOf(by)
  return at < 0 ? drawing : { ...drawing, strokes: drawing.strokes.filter((_, index) => index !== at) }
}

export function clear(drawing: Drawing): Drawing {
  return drawing.strokes.length > 0 ? { ...drawing, strokes: [] } : drawing
}

/** The human's line through these points, in the drawing's pixels. */
export function humanStroke(points: readonly (readonly [number, number])[], color: string, width: number): Stroke | null {
  const [first, ...rest] = points.map((point) => point.map((value) => Math.round(value * 10) / 10).join(' '))
  if (!first) return null
  // A tap is a dot: a line to where it is.
  const path = `M ${first} ${(rest.length > 0 ? rest : [first]).map((point) => `L ${point}`).join(' ')}`
  return { path, color, width, by: 'human' }
}
