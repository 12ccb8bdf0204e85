import { computed, inject, provide, reactive, type InjectionKey, type WritableComputedRef } from 'vue'

/** By name, what a human opened or folded; nothing else is kept. */
type Opened = Map<string, boolean>

const OPENED: InjectionKey<Opened> = Symbol('opened')

/** Remembers below this component what is open, also while it is not rendered. */
export function provideOpened(): void {
  provide(OPENED, reactive(new Map()))
}

/** Whether the part with this name is open. Without `provideOpened` it forgets when it goes. */
export function useOpened(name: () => string, initially = false): WritableComputedRef<boolean> {
  const opened = inject(OPENED, () => reactive(new Map<string, boolean>()), true)
  return computed({
    get: () => opened.get(name()) ?? initially,
    set: (isOpen) => {
      opened.set(name(), isOpen)
    },
  })
}
