import { watch } from 'vue'
import type { Router } from 'vue-router'

import { playTune, unlockSound } from '../composables/sound'
import { alertFor, noticeOf, tuneOf, vibrationOf } from '../protocol/attention'
import type { RequestView } from '../protocol/view'
import type { useDock } from '../stores/dock'
import type { useRoom } from '../stores/room'
import type { useSettings } from '../stores/settings'
import { claim } from './claim'
import { Notices } from './notices'

/** What the first load has anyway; passed in, so that the bundler need not cut it into pieces. */
interface AlertSources {
  readonly router: Router
  readonly dock: ReturnType<typeof useDock>
  readonly room: ReturnType<typeof useRoom>
  readonly settings: ReturnType<typeof useSettings>
  /** What a notification says that keeps the question to itself. */
  readonly hiddenWords: () => string
}

/** Browsers refuse, and complain, before somebody has touched the page. */
function shake(pattern: number[]): void {
  const { userActivation } = navigator as { userActivation?: UserActivation }
  if ('vibrate' in navigator && userActivation?.hasBeenActive !== false) navigator.vibrate(pattern)
}

/** Sound, vibration and notification for new cards, once for each card and browser. */
export function startAlerts({ router, dock, room, settings, hiddenWords }: AlertSources): void {
  const seen = new Set<string>()
  unlockSound()

  const isVisible = () => document.visibilityState === 'visible'
  const isCardShown = (id: string) => {
    const { name } = router.currentRoute.value
    return dock.openId === id && !dock.isFolded && (name === 'timeline' || name === 'card')
  }

  const notices = new Notices((id) => {
    window.focus()
    dock.open(id)
    void router.push('/')
  })

  const waitingIds = () => new Set(dock.waiting.map(({ id }) => id))

  async function notify(request: RequestView): Promise<void> {
    const { hidesContent } = settings.attention
    const words = noticeOf(request, hidesContent ? hiddenWords() : '')
    await notices.show(request.id, { ...words, stays: request.kind === 'approval' })
    // It may be over by the time it is shown.
    if (!waitingIds().has(request.id)) await notices.keepOnly(waitingIds)
  }

  async function alert(request: RequestView): Promise<void> {
    const visible = isVisible()
    if (!(await claim(request.id, visible))) return
    // It may have been answered while this page waited for its turn.
    if (!waitingIds().has(request.id)) return
    const what = alertFor(settings.attention, { isVisible: isVisible(), isCardShown: isCardShown(request.id) })
    if (what.sound) playTune(tuneOf(request.kind, settings.attention))
    if (what.vibration) shake(vibrationOf(request.kind))
    if (what.notification) await notify(request)
  }

  watch(
    [() => dock.waiting, () => room.isSynced],
    ([waiting, isSynced]) => {
      // While the log is being read, cards pass by that were answered long ago.
      if (!isSynced) return
      void notices.keepOnly(waitingIds)
      for (const request of waiting.filter(({ id }) => !seen.has(id))) {
        seen.add(request.id)
        void alert(request)
      }
    },
    { immediate: true },
  )
}
