import { createRouter, createWebHashHistory, type Router } from 'vue-router'

import PeoplePage from '../pages/PeoplePage.vue'
import SettingsPage from '../pages/SettingsPage.vue'
import TimelinePage from '../pages/TimelinePage.vue'

/** Hash routes: the page works below any path prefix without the server's help. */
export function createAppRouter(): Router {
  return createRouter({
    history: createWebHashHistory(),
    routes: [
      { path: '/', name: 'timeline', component: TimelinePage },
      { path: '/c/:request', name: 'card', component: TimelinePage },
      { path: '/people', name: 'people', component: PeoplePage },
      { path: '/settings', name: 'settings', component: SettingsPage },
      { path: '/:rest(.*)*', redirect: '/' },
    ],
  })
}
