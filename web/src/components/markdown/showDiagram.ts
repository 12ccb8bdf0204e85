/** The words around a diagram. */
export interface DiagramWords {
  readonly show: string
  readonly drawing: string
  readonly source: string
  readonly picture: string
  /** What is wrong with its source. */
  readonly failed: (reason: string) => string
  /** The program that draws could not be loaded. */
  readonly notLoaded: string
}

const REASON_CHARACTERS = 160

/** Shows the diagram of a block in the place of its source, or the source again. */
export async function toggleDiagram(button: HTMLElement, words: DiagramWords): Promise<void> {
  const figure = button.closest('figure')
  const code = figure?.querySelector('pre')
  if (!figure || !code || button.getAttribute('aria-busy') === 'true') return
  const shown = figure.querySelector('.dia')
  figure.querySelector('.dia-n')?.remove()
  if (shown) {
    shown.remove()
    code.hidden = false
    button.textContent = words.show
    return
  }
  button.setAttribute('aria-busy', 'true')
  button.textContent = words.drawing
  const result = await drawn(code.textContent, words)
  button.removeAttribute('aria-busy')
  if (typeof result === 'string') {
    button.textContent = words.show
    code.after(note(result))
    return
  }
  button.textContent = words.source
  code.hidden = true
  code.before(result)
}

/** The picture, or why there is none. */
async function drawn(source: string, words: DiagramWords): Promise<HTMLElement | string> {
  const program = await import('./mermaid').catch(() => null)
  if (!program) return words.notLoaded
  try {
    const { src, width, height } = await program.draw(source)
    const image = Object.assign(document.createElement('img'), { src, width, height, alt: words.picture })
    const zoom = Object.assign(document.createElement('button'), { type: 'button', className: 'dia' })
    zoom.dataset.zoom = ''
    zoom.setAttribute('aria-label', words.picture)
    zoom.append(image)
    return zoom
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''
    return words.failed(reason.slice(0, REASON_CHARACTERS))
  }
}

function note(text: string): HTMLElement {
  const paragraph = Object.assign(document.createElement('p'), { className: 'dia-n', textContent: text })
  paragraph.setAttribute('role', 'status')
  return paragraph
}
