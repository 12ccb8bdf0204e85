/** What is known of the facts before those that were read. */
export interface Earlier {
  readonly exists: boolean
  readonly isLoading: boolean
  /** The last attempt to read them was refused. */
  readonly hasFailed: boolean
  /** The time of the oldest fact that was read; 0 if unknown. */
  readonly sinceMs: number
}

export const NOTHING_EARLIER: Earlier = { exists: false, isLoading: false, hasFailed: false, sinceMs: 0 }
