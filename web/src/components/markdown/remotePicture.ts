/** Replaces the placeholder of a remote picture by the picture, or by a link if it may not load. */
export function loadPicture(placeholder: HTMLElement, failedLabel: string): void {
  const source = placeholder.dataset.picture ?? ''
  if (!/^https?:\/\//i.test(source)) return
  const image = document.createElement('img')
  image.alt = placeholder.dataset.alt ?? ''
  image.referrerPolicy = 'no-referrer'
  image.addEventListener('error', () => {
    const link = document.createElement('a')
    link.href = source
    link.target = '_blank'
    link.rel = 'noopener noreferrer'
    link.textContent = failedLabel
    image.replaceWith(link)
  })
  image.src = source
  placeholder.replaceWith(image)
}
