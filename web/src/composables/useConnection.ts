import { inject, type InjectionKey } from 'vue'

/** What pages may ask of the connection. */
export interface ConnectionControl {
  readonly signIn: (token: string) => void
  readonly forget: () => void
  readonly retry: () => void
  readonly loadEarlier: () => void
}

export const CONNECTION: InjectionKey<ConnectionControl> = Symbol('connection')

export function useConnection(): ConnectionControl {
  const control = inject(CONNECTION)
  if (!control) throw new Error('the connection was not provided')
  return control
}
