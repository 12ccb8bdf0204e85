import '../css/quasar.css'
import '../css/tokens.css'
import '../css/base.css'
import '../css/shell.css'
import '../css/timeline.css'
import '../css/card.css'
import '../css/pages.css'
import '../css/markdown.css'
import { createPinia } from 'pinia'
import { Quasar } from 'quasar'
import { createApp } from 'vue'

import AppRoot from '../AppRoot.vue'
import { CONNECTION } from '../composables/useConnection'
import { i18n, loadLocale } from '../i18n'
import { createAppRouter, loadTheRest } from '../router'
import { useDock } from '../stores/dock'
import { useRoom } from '../stores/room'
import { useSettings } from '../stores/settings'
import { startAttention } from './attention'
import { startConnection } from './connection'
import { startLook } from './look'

/** Builds the page. Everything with a life of its own is started here. */
export async function start(): Promise<void> {
  const app = createApp(AppRoot)
  const router = createAppRouter()
  app
    .use(createPinia())
    .use(i18n)
    .use(router)
    .use(Quasar, { config: { ripple: false, dark: false }, plugins: {} })
  await startLook()
  const connection = startConnection()
  startAttention()
  app.provide(CONNECTION, connection)
  app.mount('#app')
  void import('./alerts').then(({ startAlerts }) => {
    const hiddenWords = () => i18n.global.t('attention.hidden')
    startAlerts({ router, dock: useDock(), room: useRoom(), settings: useSettings(), hiddenWords })
  })
  setTimeout(() => {
    void loadTheRest()
    void loadLocale('zh-CN')
  }, 1_500)
}
