import '../css/quasar.css'
import '../css/tokens.css'
import '../css/base.css'
import '../css/shell.css'
import '../css/timeline.css'
import '../css/card.css'
import '../css/pages.css'
import '../css/markdown.css'
import { createPinia } from 'pinia'
import { createApp } from 'vue'

import AppRoot from '../AppRoot.vue'
import { CONNECTION } from '../composables/useConnection'
import { PAGE_UPDATE } from '../composables/usePageUpdate'
import { i18n, loadLocale } from '../i18n'
import { createAppRouter, loadTheRest } from '../router'
import { useDock } from '../stores/dock'
import { usePairing } from '../stores/pairing'
import { useRoom } from '../stores/room'
import { useSession } from '../stores/session'
import { useSettings } from '../stores/settings'
import { startAttention } from './attention'
import { startConnection } from './connection'
import { startLook } from './look'
import { loadAhead, watchMissing } from './missing'
import { startWorker } from './worker'

/** Builds the page. Everything with a life of its own is started here; `pairingCode` is what somebody scanned. */
export async function start(pairingCode: string): Promise<void> {
  const app = createApp(AppRoot)
  const router = createAppRouter()
  app.use(createPinia()).use(i18n).use(router)
  watchMissing(app, router)
  usePairing().scanned = pairingCode
  await startLook()
  const connection = startConnection(router)
  startAttention()
  const session = useSession()
  const update = startWorker(() => session.relayVersion)
  app.provide(CONNECTION, connection)
  app.provide(PAGE_UPDATE, update)
  app.mount('#app')
  void loadAhead(async () => {
    const { startAlerts } = await import('./alerts')
    const hiddenWords = () => i18n.global.t('attention.hidden')
    startAlerts({ router, dock: useDock(), room: useRoom(), settings: useSettings(), hiddenWords })
  })
  setTimeout(() => {
    void loadAhead(loadTheRest)
    void update.install()
    void loadLocale('zh-CN')
  }, 1_500)
}
