import { inject, type InjectionKey, type Ref } from 'vue'

/** A newer build of the page, and how to change to it. */
export interface PageUpdate {
  /** It is kept in this browser and waits until somebody reloads. */
  readonly isReady: Readonly<Ref<boolean>>
  /** Changes to it if there is one, and reloads in any case. */
  readonly reload: () => void
  /** The browser offers to install it as an app. */
  readonly canInstall: Readonly<Ref<boolean>>
  readonly installApp: () => void
}

export const PAGE_UPDATE: InjectionKey<PageUpdate> = Symbol('page update')

export function usePageUpdate(): PageUpdate {
  const update = inject(PAGE_UPDATE)
  if (!update) throw new Error('the page update was not provided')
  return update
}
