import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, test, vi } from 'vitest'

import type { Command } from '../protocol/commands'
import type { AckFacts } from '../protocol/events'
import { useShared } from '../stores/shared'
import { useSharedSetting } from './useSharedSetting'

const asked: { command: Command; answer: (ack: AckFacts | null) => void }[] = []

vi.mock('./useConnection', () => ({
  useConnection: () => ({
    ask: async (command: Command) =>
      new Promise<AckFacts | null>((resolve) => {
        asked.push({ command, answer: resolve })
      }),
  }),
}))

beforeEach(() => {
  setActivePinia(createPinia())
  asked.length = 0
})

function setting() {
  return useSharedSetting('k', (value) => (Array.isArray(value) ? value.map(String) : null), () => ['none'])
}

async function answered(accepted: boolean): Promise<void> {
  const ack = { type: 'ack' as const, ref: '', accepted, code: '', message: '', seq: 0 }
  asked.at(-1)?.answer(ack)
  await new Promise((resolve) => setTimeout(resolve))
}

test('quick changes build on each other and go out one after the other', async () => {
  const { value, problem, save } = setting()
  for (const letter of ['a', 'b', 'c']) void save([...value.value, letter])
  expect(value.value).toEqual(['none', 'a', 'b', 'c'])
  expect(asked).toHaveLength(1)
  await answered(true)
  expect(asked).toHaveLength(2)
  await answered(true)
  expect(asked).toHaveLength(2)
  expect(useShared().settings.get('k')).toEqual({ value: ['none', 'a', 'b', 'c'], revision: 2 })
  expect(problem.value).toBe('')
})

test('what another device was faster with is shown, and nothing is written over it', async () => {
  const { value, problem, save } = setting()
  void save(['mine'])
  void save(['mine', 'too'])
  useShared().apply('k', '["theirs"]', 5)
  await answered(false)
  expect([value.value, problem.value, asked.length]).toEqual([['theirs'], 'stale', 1])
})

test('without an answer it is as it was, and can be tried again', async () => {
  const { value, problem, save } = setting()
  void save(['mine'])
  asked[0]?.answer(null)
  await new Promise((resolve) => setTimeout(resolve))
  expect([value.value, problem.value]).toEqual([['none'], 'offline'])
  void save(['mine'])
  await answered(true)
  expect([value.value, problem.value]).toEqual([['mine'], ''])
})
