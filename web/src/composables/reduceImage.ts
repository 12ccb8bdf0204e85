import { fitWithin } from '../protocol/attachments'

const QUALITY = 0.85
/** A reduced PNG above this becomes a JPEG: it is a photo. */
const LARGE_PNG = 1_500_000

/** A smaller version of a picture; null if it is small enough, moves, or cannot be read here. */
export async function reduceImage(file: Blob): Promise<Blob | null> {
  if (file.type === 'image/gif') return null
  const bitmap = await bitmapOf(file)
  if (!bitmap) return null
  const { width, height } = fitWithin(bitmap.width, bitmap.height)
  const isKnown = /^image\/(?:png|jpeg|webp)$/.test(file.type)
  if (width === bitmap.width && isKnown && file.size <= LARGE_PNG) return null
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, width, height)
  bitmap.close()
  if (file.type === 'image/png') {
    const png = await blobOf(canvas, 'image/png')
    if (png && png.size <= LARGE_PNG) return png
  }
  return blobOf(canvas, 'image/jpeg')
}

async function bitmapOf(file: Blob): Promise<ImageBitmap | null> {
  try {
    return await createImageBitmap(file, { imageOrientation: 'from-image' })
  } catch {
    return null
  }
}

async function blobOf(canvas: HTMLCanvasElement, type: string): Promise<Blob | null> {
  return new Promise((resolve) => {
    canvas.toBlob(resolve, type, QUALITY)
  })
}
