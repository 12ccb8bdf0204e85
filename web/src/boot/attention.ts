import { watch } from 'vue'

import { useDock } from '../stores/dock'

/** The mark with an accent dot and the number, as a link that needs no request. */
function icon(count: number): string {
  const number = count > 9 ? '9+' : String(count)
  const dot = count
    ? `<circle cx="22" cy="10" r="10" fill="#2f57dd"/><text x="22" y="14.500" font-family="sans-serif" font-size="12" font-weight="700" text-anchor="middle" fill="#fff">${number}</text>`
    : ''
  const mark = `<g stroke="#7f8796" stroke-width="3.500" stroke-linecap="round"><path d="M6 9h20M6 16h20" opacity=".7"/><path d="M6 23h12" stroke="#2f57dd"/></g>`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${mark}${dot}</svg>`
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}

/** The number on the icon of the installed app. */
async function badge(count: number): Promise<void> {
  try {
    await (navigator as { setAppBadge?: (count: number) => Promise<void> }).setAppBadge?.(count)
  } catch {
    // Only an installed app has an icon.
  }
}

/** Shows how many cards wait in the title and the icon of the tab. */
export function startAttention(): void {
  const dock = useDock()
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon]')
  watch(
    () => dock.waiting.length,
    (count) => {
      document.title = count > 0 ? `(${count}) LineUp` : 'LineUp'
      if (link) link.href = icon(count)
      void badge(count)
    },
    { immediate: true },
  )
}
