import { createRouter, createWebHashHistory, type Router } from 'vue-router'

import { withTexts } from '../i18n'
import TimelinePage from '../pages/TimelinePage.vue'

const people = () => import('../pages/PeoplePage.vue')
const history = () => import('../pages/HistoryPage.vue')
const settings = withTexts(() => import('../pages/SettingsPage.vue'))
const pair = withTexts(() => import('../pages/PairPage.vue'))
const quick = withTexts(() => import('../pages/QuickRepliesPage.vue'))
const keys = withTexts(() => import('../pages/KeysPage.vue'))
const licences = withTexts(() => import('../pages/LicencesPage.vue'))
const timeline = () => [import('../components/timeline/TimelinePanel.vue'), import('../components/timeline/EntrySheet.vue')]
const approval = () => import('../components/approval/ApprovalCard.vue')
const composing = () => [
  import('../components/composer/AttachMenu.vue'),
  import('../components/composer/AttachmentList.vue'),
  import('../components/composer/VoiceBar.vue'),
  import('../composables/reduceImage'),
  import('../components/composer/QuickTray.vue'),
  import('../components/request/RequestEnded.vue'),
  import('../components/request/RequestForm.vue'),
  import('../components/picture/PictureViewer.vue'),
]
const chat = () => import('../pages/ChatPage.vue')
const tools = withTexts(() => import('../pages/ToolsPage.vue'))
const tool = withTexts(() => import('../pages/ToolPage.vue'))
const rare = () => [
  chat(),
  tools(),
  tool(),
  import('../components/request/RequestSecret.vue'),
  import('../components/chat/ChatPanel.vue'),
  import('../components/message/MessagePanel.vue'),
  import('../components/start/FirstRun.vue'),
  import('../pages/SignedOutPage.vue'),
]
const menu = () => import('../components/menu/MenuSheet.vue')

/** Loads what a click may ask for, so that it is there when the relay is not. */
export async function loadTheRest(): Promise<void> {
  await Promise.all([people(), history(), ...timeline(), settings(), pair(), quick(), keys(), licences(), menu(), approval(), ...composing(), ...rare()])
}

/** Hash routes: the page works below any path prefix without the server's help. */
export function createAppRouter(): Router {
  return createRouter({
    history: createWebHashHistory(),
    routes: [
      { path: '/', name: 'timeline', component: TimelinePage },
      { path: '/c/:request', name: 'card', component: TimelinePage },
      { path: '/at/:entry', name: 'entry', component: TimelinePage },
      { path: '/history', name: 'history', component: history },
      { path: '/people', name: 'people', component: people },
      { path: '/chat/:device', name: 'chat', component: chat },
      { path: '/settings', name: 'settings', component: settings },
      { path: '/pair', component: pair },
      { path: '/settings/quick', component: quick },
      { path: '/settings/keys', component: keys },
      { path: '/settings/licences', component: licences },
      { path: '/tools', name: 'tools', component: tools },
      { path: '/tool/:instance', name: 'tool', component: tool },
      { path: '/:rest(.*)*', redirect: '/' },
    ],
  })
}
