import { watch } from 'vue'

import { setLocale } from '../i18n'
import { useSettings } from '../stores/settings'

/** Follows the chosen language and theme; done when the language is there. */
export async function startLook(): Promise<void> {
  const settings = useSettings()
  const prefersDark = matchMedia('(prefers-color-scheme: dark)')

  const applyTheme = () => {
    const { theme } = settings
    if (theme === 'auto') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = theme
    // The frame around the page has the page's colour.
    const colour = getComputedStyle(document.documentElement).getPropertyValue('--c-bg').trim()
    for (const meta of document.querySelectorAll('meta[name=theme-color]')) meta.setAttribute('content', colour)
  }

  prefersDark.addEventListener('change', applyTheme)
  watch(() => settings.theme, applyTheme, { immediate: true })
  watch(
    () => settings.locale,
    (locale) => void setLocale(locale),
  )
  await setLocale(settings.locale)
}
