/** Replaces the placeholder of a remote picture by the picture, or by a link if it may not load. */
export function loadPicture(placeholder: HTMLElement, words: { readonly failed: string; readonly zoom: string }): void {
  const source = placeholder.dataset.picture ?? ''
  if (!/^https?:\/\//i.test(source)) return
  const image = document.createElement('img')
  image.alt = placeholder.dataset.alt ?? ''
  image.referrerPolicy = 'no-referrer'
  const button = Object.assign(document.createElement('button'), { type: 'button', className: 'zoom' })
  button.dataset.zoom = ''
  button.setAttribute('aria-label', [image.alt, words.zoom].filter(Boolean).join(': '))
  button.append(image)
  image.addEventListener('error', () => {
    const link = document.createElement('a')
    link.href = source
    link.target = '_blank'
    link.rel = 'noopener noreferrer'
    link.textContent = words.failed
    button.replaceWith(link)
  })
  image.src = source
  placeholder.replaceWith(button)
}
