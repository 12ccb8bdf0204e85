import { expect, test } from 'vitest'

import type { AgentView } from '../../protocol/agents'
import { AGENT } from '../../protocol/testing'
import { show } from '../testing'
import AgentItem from './AgentItem.vue'
import AgentRow from './AgentRow.vue'

const VIEW: AgentView = { key: 'a', agent: AGENT, label: AGENT.name, activity: 'calling', sinceMs: 100_000, requestId: '', tool: 'canvas', messagesWaiting: 0 }

test('both lists say for which tool an agent waits, and how long', () => {
  const relayNowMs = 100_000 + 4 * 60_000
  expect(show(AgentItem, { view: VIEW, relayNowMs }).get('.n2').text()).toBe('waits for canvas · 4 min')
  const end = show(AgentRow, { view: VIEW, relayNowMs }).findAll('.end > span')
  expect(end.map((line) => line.text())).toEqual(['waits for canvas', '4 min'])
})
