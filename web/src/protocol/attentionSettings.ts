export type Sound = 'soft' | 'clear' | 'wood' | 'off'

/** How a browser's user wants to be called. */
export interface AttentionSettings {
  readonly sound: Sound
  /** Percent. */
  readonly volume: number
  readonly vibrates: boolean
  readonly notifies: boolean
  /** Notifications do not say what was asked. */
  readonly hidesContent: boolean
  /** Do not disturb: only the counts go on. */
  readonly isQuiet: boolean
}

export const DEFAULT_ATTENTION: AttentionSettings = {
  sound: 'soft',
  volume: 70,
  vibrates: true,
  notifies: true,
  hidesContent: false,
  isQuiet: false,
}
