import { ToolError } from '../result'
import type { Drawing } from './actions'

/** White, as people expect of paper, in both themes. */
const PAPER = '#ffffff'

function paint(drawing: Drawing): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.width = drawing.width
  canvas.height = drawing.height
  const pen = canvas.getContext('2d')
  if (!pen) throw new ToolError('not_supported', 'this browser cannot paint pictures')
  pen.fillStyle = PAPER
  pen.fillRect(0, 0, drawing.width, drawing.height)
  pen.lineCap = pen.lineJoin = 'round'
  for (const { path, color, width } of drawing.strokes) {
    pen.strokeStyle = color
    pen.lineWidth = width
    pen.stroke(new Path2D(path))
  }
  return canvas
}

/** The drawing as a PNG picture. */
export async function pngOf(drawing: Drawing): Promise<Uint8Array<ArrayBuffer>> {
  const canvas = paint(drawing)
  const blob = await new Promise<Blob | null>((resolve) => {
    canvas.toBlob(resolve, 'image/png')
  })
  if (!blob) throw new ToolError('not_supported', 'this browser cannot paint a picture of this size')
  return new Uint8Array(await blob.arrayBuffer())
}
