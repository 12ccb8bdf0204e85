import { onScopeDispose } from 'vue'

import { useSettings } from '../stores/settings'

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('textarea, select, input:not([type=radio], [type=checkbox])'))
  )
}

/** An input method is composing: the key belongs to it. 229 is what older browsers say instead. */
export function isComposing(event: KeyboardEvent): boolean {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- Safari ends the composition first
  return event.isComposing || event.keyCode === 229
}

/** Ctrl+Enter or ⌘+Enter, outside of an input method. */
export function isSendKey(event: KeyboardEvent): boolean {
  return event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !isComposing(event)
}

/** Ctrl+Enter anywhere on the page; text boxes see to it themselves. */
export function useSendAnywhere(send: () => boolean): void {
  const listener = (event: KeyboardEvent) => {
    if (!isSendKey(event) || event.repeat || event.defaultPrevented || isTyping(event.target)) return
    if (!document.querySelector('.q-dialog, .q-menu') && send()) event.preventDefault()
  }
  document.addEventListener('keydown', listener)
  onScopeDispose(() => {
    document.removeEventListener('keydown', listener)
  })
}

/** Single keys of the whole page: unless they are switched off, while nobody types and no dialog is open. */
export function useKeys(onKey: (key: string) => boolean): void {
  const settings = useSettings()
  const listener = (event: KeyboardEvent) => {
    if (!settings.hasKeys || isComposing(event) || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.repeat || isTyping(event.target) || document.querySelector('.q-dialog, .q-menu')) return
    if (onKey(event.key)) event.preventDefault()
  }
  document.addEventListener('keydown', listener)
  onScopeDispose(() => {
    document.removeEventListener('keydown', listener)
  })
}
