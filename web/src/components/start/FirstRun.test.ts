import { expect, test } from 'vitest'

import { show } from '../testing'
import FirstRun from './FirstRun.vue'

test('names a command that exists', () => {
  const words = show(FirstRun, { host: 'pc', isOnline: true }).text()
  expect(words).toContain('claude mcp add lineup -- lineup-mcp')
  expect(words).not.toContain('lineup-mcp install')
})
