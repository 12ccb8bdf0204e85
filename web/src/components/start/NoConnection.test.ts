import { expect, test } from 'vitest'

import { anEntry } from '../../protocol/testing'
import { show } from '../testing'
import NoConnection from './NoConnection.vue'

test('says that questions come back, and shows what waits to be sent', () => {
  const entries = [
    anEntry({ title: 'Which database?', text: 'The small one' }),
    anEntry({ ref: 'ref-2', requestId: 'text:2', kind: 'text', answers: [], text: 'Stop after that' }),
    anEntry({ ref: 'ref-3', requestId: 'r3', title: 'The password?', text: 'hunter2', isSecret: true }),
  ]
  const text = show(NoConnection, { entries }).text()
  for (const words of ['No connection. Your questions come back with it.', 'Which database?', 'The small one', 'Stop after that', 'The password?']) {
    expect(text).toContain(words)
  }
  expect(text).not.toContain('hunter2')
})

test('shows no list if nothing waits', () => {
  expect(show(NoConnection, { entries: [] }).find('ul').exists()).toBe(false)
})
