import { onScopeDispose } from 'vue'

/** Lays the page out in what the on-screen keyboard leaves; `kb` on the root while it is open. */
export function useViewport(): void {
  const viewport = window.visualViewport
  if (!viewport) return
  const root = document.documentElement
  const update = () => {
    const isOpen = viewport.height < window.innerHeight * 0.75 || window.innerHeight < 500
    const isTyping = document.activeElement?.matches('textarea, input') ?? false
    root.classList.toggle('kb', isOpen && isTyping && window.innerWidth < 1000)
    root.style.setProperty('--vh', `${viewport.height}px`)
    if (viewport.offsetTop > 0) window.scrollTo(0, 0)
  }
  const stop = new AbortController()
  viewport.addEventListener('resize', update, { signal: stop.signal })
  document.addEventListener('focusin', update, { signal: stop.signal })
  document.addEventListener('focusout', update, { signal: stop.signal })
  update()
  onScopeDispose(() => {
    stop.abort()
  })
}
