import { useI18n } from 'vue-i18n'

import type { TranscriptWords } from '../protocol/transcript'
import { useOutcome } from './useOutcome'
import { useTimes } from './useTimes'

/** The words of a copied or exported entry. */
export function useTranscriptWords(): TranscriptWords {
  const { t } = useI18n()
  const { clock, tag } = useTimes()
  const { outcome } = useOutcome()
  return {
    day: (ms) => new Intl.DateTimeFormat(tag.value, { dateStyle: 'full' }).format(ms),
    clock,
    answer: (by, atMs) => {
      const about = [by, atMs > 0 ? clock(atMs) : ''].filter(Boolean).join(' · ')
      return about ? t('transcript.answer_by', { about }) : t('transcript.answer')
    },
    outcome: (request) => (request.phase === 'pending' ? t('transcript.waiting') : outcome(request)),
    you: t('transcript.you'),
    picture: t('card.picture'),
    file: t('transcript.file'),
    secret: t('asked.secret_sent'),
  }
}
