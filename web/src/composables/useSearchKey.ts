import { onScopeDispose } from 'vue'

import { isComposing } from './useKeys'

/** Ctrl+K or ⌘K anywhere, as in most programs. */
export function useSearchKey(search: () => void): void {
  const listener = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
    if (isComposing(event) || document.querySelector('.q-dialog, .q-menu')) return
    event.preventDefault()
    search()
  }
  // Before a card that guards itself against stray keys.
  document.addEventListener('keydown', listener, true)
  onScopeDispose(() => {
    document.removeEventListener('keydown', listener, true)
  })
}
