import { ref } from 'vue'

const SHOWN_MS = 2_000

/** The clipboard API exists only on https and localhost; elsewhere a selection is copied. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

function copyBySelection(text: string): boolean {
  const before = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.setAttribute('readonly', '')
  area.style.cssText = 'position:fixed;top:0;opacity:0'
  // An open dialog keeps the focus inside itself.
  const home = before?.closest('.q-dialog__inner > div, .q-menu') ?? document.body
  home.append(area)
  area.focus({ preventScroll: true })
  area.select()
  try {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way on plain http
    return document.execCommand('copy')
  } catch {
    return false
  } finally {
    area.remove()
    if (before instanceof HTMLElement) before.focus({ preventScroll: true })
  }
}

/** Copies, and says for two seconds how it went. */
export function useCopy() {
  const state = ref<'idle' | 'copied' | 'failed'>('idle')
  let timer: ReturnType<typeof setTimeout> | undefined

  async function copy(text: string): Promise<void> {
    state.value = (await copyText(text)) ? 'copied' : 'failed'
    clearTimeout(timer)
    timer = setTimeout(() => {
      state.value = 'idle'
    }, SHOWN_MS)
  }

  return { state, copy }
}
