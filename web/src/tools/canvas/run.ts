import { randomId } from '../../protocol/ids'
import { argumentsOf, type CallFacts } from '../../protocol/tools'
import { useCanvases, type OpenCanvas } from '../../stores/canvases'
import { ToolError, type ToolResult } from '../result'
import { agentStroke, clear, draw, openDrawing, text, undo, type Drawing, type Stroke } from './actions'
import { pngOf } from './paint'

const MOST_OPEN = 16
const MOST_TOLD = 100

type Arguments = Readonly<Record<string, unknown>>

/** Runs one action of the canvas. */
export async function runCanvas({ action, argumentsJson, agentId }: CallFacts): Promise<ToolResult> {
  const args = argumentsOf(argumentsJson) ?? {}
  if (action === 'open') return open(args, agentId)
  const canvas = find(args)
  switch (action) {
    case 'draw':
      return change(canvas, (drawing) => draw(drawing, agentStroke(args)), 'Drawn')
    case 'undo':
      return change(canvas, (drawing) => undo(drawing, 'agent'), 'Taken back', 'No stroke of yours is left to take back')
    case 'clear':
      return change(canvas, clear, 'Cleared', 'The canvas was empty')
    case 'snapshot':
      return snapshot(canvas)
    case 'close':
      useCanvases().close(canvas.id)
      return resultOf(canvas, 'Closed')
    default:
      throw new ToolError('unknown_tool', `canvas has no action ${action}`)
  }
}

function open(args: Arguments, agentId: string): ToolResult {
  const canvases = useCanvases()
  if (canvases.all.size >= MOST_OPEN) throw new ToolError('too_large', `${MOST_OPEN} canvases are open here: close one first`)
  const number = 1 + Math.max(0, ...[...canvases.all.values()].map((one) => one.number))
  const canvas = { id: randomId(), agentId, openedMs: Date.now(), number, drawing: openDrawing(args) }
  canvases.put(canvas)
  return resultOf(canvas, `Opened a canvas of ${canvas.drawing.width} × ${canvas.drawing.height} pixels, instance_id ${canvas.id}`)
}

function find(args: Arguments): OpenCanvas {
  const canvas = useCanvases().all.get(text(args, 'instance_id'))
  if (!canvas) throw new ToolError('app_gone', 'this canvas is not open any more: open a new one')
  return canvas
}

/** Changes the drawing and says so in `words`, or that nothing changed in `otherwise`. */
function change(canvas: OpenCanvas, next: (drawing: Drawing) => Drawing, words: string, otherwise = words): ToolResult {
  const canvases = useCanvases()
  canvases.change(canvas.id, next)
  const now = canvases.all.get(canvas.id) ?? canvas
  return resultOf(now, `${now === canvas ? otherwise : words}. Strokes on the canvas: ${now.drawing.strokes.length}.`)
}

async function snapshot(canvas: OpenCanvas): Promise<ToolResult> {
  const { drawing } = canvas
  const bytes = await pngOf(drawing)
  const human = drawing.strokes.filter(({ by }) => by === 'human')
  const message = `The canvas. Strokes: ${drawing.strokes.length}, of these drawn by the human: ${human.length}.`
  const { result } = resultOf(canvas, message)
  return {
    result: { ...result, width: drawing.width, height: drawing.height, human_strokes: human.slice(-MOST_TOLD).map(toldOf) },
    contents: [{ kind: 'image', name: 'canvas.png', mime: 'image/png', bytes }],
    instanceId: canvas.id,
  }
}

function toldOf({ path, color, width }: Stroke) {
  return { path, color, width }
}

function resultOf({ id, drawing }: OpenCanvas, message: string): ToolResult {
  return { result: { message, instance_id: id, strokes: drawing.strokes.length }, instanceId: id }
}
