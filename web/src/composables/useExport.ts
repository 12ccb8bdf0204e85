import { computed, ref } from 'vue'
import { useI18n } from 'vue-i18n'

import { exportFile, exportName, type ExportFormat } from '../protocol/exportFile'
import type { Entry, Query } from '../protocol/search'
import { useClock } from '../stores/clock'
import { useRoom } from '../stores/room'
import { useTimes } from './useTimes'
import { useTranscriptWords } from './useTranscriptWords'

/** A file has no more entries than these; the newest ones. */
const MOST = 20_000
/** Enough pages for as many, if each entry is a few facts. */
const PAGES = 400

interface Source {
  readonly query: () => Query
  /** The newest first. */
  readonly found: () => readonly Entry[]
  readonly read: (isEnough: () => boolean, pages: number) => Promise<void>
}

/** Reads what the relay has and gives it to the browser as a file. */
export function useExport({ query, found, read }: Source) {
  const { t } = useI18n()
  const [room, clock] = [useRoom(), useClock()]
  const { full } = useTimes()
  const words = useTranscriptWords()
  const isExporting = ref(false)
  const done = ref(0)
  const wanted = ref(false)
  const isWanted = () => wanted.value

  const progress = computed(() => t('history.exporting', { n: found().length }, found().length))

  async function run(format: ExportFormat): Promise<void> {
    if (isExporting.value) return
    isExporting.value = true
    wanted.value = true
    done.value = 0
    await read(() => !isWanted() || found().length >= MOST, PAGES)
    isExporting.value = false
    if (!isWanted()) return
    const entries = found().slice(0, MOST).reverse()
    const isComplete = !room.earlier.exists && entries.length === found().length
    const nowMs = clock.relayNowMs
    save(exportFile(format, { entries, query: query(), isComplete, nowMs, title: titleOf(entries, isComplete), words }), exportName(format, nowMs))
    done.value = entries.length
  }

  function titleOf(entries: readonly Entry[], isComplete: boolean): string {
    const [first, last] = [entries[0], entries.at(-1)]
    const range = first && last ? t('history.range', { from: full(first.item.atMs), to: full(last.item.atMs) }) : ''
    const { words: searched, agent, project, is } = query()
    const filter = [searched && `“${searched}”`, agent, project, is].filter(Boolean).join(' · ')
    const lines = [
      t('history.entries', { n: entries.length }, entries.length),
      range,
      filter && t('history.filtered_by', { filter }),
      isComplete ? '' : t('history.incomplete'),
    ]
    return `# ${t('history.file_title')}\n\n${lines.filter(Boolean).join('  \n')}`
  }

  function cancel(): void {
    wanted.value = false
  }

  return { isExporting, done, progress, run, cancel }
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  // The browser has taken it over by then.
  setTimeout(() => {
    URL.revokeObjectURL(link.href)
  }, 60_000)
}
