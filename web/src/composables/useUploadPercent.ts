import { computed, type ComputedRef } from 'vue'

import { useUploads } from '../stores/uploads'

/** How much of a message has left this machine, in per cent; null while nobody knows. */
export function useUploadPercent(ref: () => string | undefined): ComputedRef<number | null> {
  const uploads = useUploads()
  return computed(() => uploads.percent[ref() ?? ''] ?? null)
}
