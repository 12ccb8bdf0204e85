import { expect, test } from 'vitest'

import { show } from '../testing'
import FirstRun from './FirstRun.vue'

test('names the command that enters LineUp into each program', async () => {
  const page = show(FirstRun, { host: 'pc', isOnline: true })
  expect(page.text()).toContain('lineup-mcp install claude --rules')
  await page.get('input[value=hermes]').setValue()
  expect(page.text()).toContain('lineup-mcp install hermes --rules')
  await page.get('input[value=""]').setValue()
  expect(page.text()).toContain('lineup-mcp install --help')
})
