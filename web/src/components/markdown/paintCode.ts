/** Colours the code below an element as soon as the highlighter is there; without it, code is only black. */
export async function paintCode(root: Element): Promise<void> {
  if (!root.querySelector('[data-lang]')) return
  try {
    const { highlighted } = await import('../../protocol/highlight')
    for (const figure of root.querySelectorAll<HTMLElement>('[data-lang]')) paint(figure, highlighted)
  } catch {
    // No connection; the next text tries again.
  }
}

function paint(figure: HTMLElement, highlighted: (code: string, language: string) => string | null): void {
  const code = figure.querySelector('pre > code')
  if (!code || code.firstElementChild) return
  const source = code.textContent
  const html = highlighted(source, figure.dataset.lang ?? '')
  if (html === null) return
  const template = document.createElement('template')
  template.innerHTML = html
  // What is copied must stay what was written.
  if (template.content.textContent === source) code.replaceChildren(template.content)
}
