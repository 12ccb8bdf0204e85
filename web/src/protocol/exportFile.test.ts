import { expect, test } from 'vitest'

import { exportFile, exportName, type ExportFacts } from './exportFile'
import { applyEvents, EMPTY_ROOM } from './room'
import type { Entry } from './search'
import { AGENT, aText } from './testing'
import { historyOf } from './timeline'

const DAY_MS = 86_400_000

function facts(count: number): ExportFacts {
  const texts = Array.from({ length: count }, (_, n) => aText({ id: `t${n}`, content: `Message ${n}`, sentMs: n * 60_000 + DAY_MS }))
  const room = applyEvents(EMPTY_ROOM, texts.map((text, n) => ({ type: 'text' as const, seq: n + 1, text })))
  const entries: Entry[] = historyOf(room, []).map((item) => ({ item, agent: AGENT }))
  const words = { day: (ms: number) => `day ${ms}`, clock: () => '10:00', answer: () => '', outcome: () => '', you: 'You', picture: '', file: '', secret: '' }
  return { entries, query: { words: 'a "b"', agent: '', project: '', is: '' }, isComplete: false, nowMs: 3 * DAY_MS, title: '# History', words }
}

test('Markdown has its title, a heading for each day, and every entry', async () => {
  const text = await exportFile('markdown', facts(450)).text()
  expect(text.startsWith('# History\n\n## day ')).toBe(true)
  expect(text.match(/^### /gm)).toHaveLength(450)
  expect(text.match(/^## /gm)).toHaveLength(1)
})

test('JSON says what it is and whether it is all, and is well formed over all its pieces', async () => {
  for (const count of [0, 1, 200, 401]) {
    const parsed = JSON.parse(await exportFile('json', facts(count)).text()) as { entries: unknown[] }
    expect(parsed).toMatchObject({ format: 'lineup-history', version: 1, complete: false, query: { words: 'a "b"' } })
    expect(parsed.entries).toHaveLength(count)
  }
})

test('the name has the date and the ending', () => {
  expect(exportName('json', 0)).toBe('lineup-history-1970-01-01.json')
  expect(exportName('markdown', 0)).toBe('lineup-history-1970-01-01.md')
})
