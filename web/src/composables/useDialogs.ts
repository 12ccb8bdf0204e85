import { Quasar } from 'quasar'
import { getCurrentInstance } from 'vue'

/** Lets a component show Quasar's dialogs and menus. Quasar comes with the first of them: no card needs it. */
export function useDialogs(): void {
  const app = getCurrentInstance()?.appContext.app
  if (!app || '$q' in app.config.globalProperties) return
  app.use(Quasar, { config: { ripple: false, dark: false }, plugins: {} })
}
