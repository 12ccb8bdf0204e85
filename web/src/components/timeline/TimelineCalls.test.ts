import { expect, test } from 'vitest'

import type { CallView } from '../../protocol/callLog'
import type { CallRun } from '../../protocol/callRuns'
import { AGENT } from '../../protocol/testing'
import { byRole, show } from '../testing'
import TimelineCalls from './TimelineCalls.vue'

const CALL: CallView = {
  ...{ callId: 'c', name: 'canvas', action: 'draw', argumentsJson: '{}', applicationId: '', agentId: AGENT.id, timeoutMs: 0, atMs: 1_000_000 },
  ...{ phase: null, progress: 0, total: 0, message: '', resultJson: '', code: '', by: '', endedMs: 0 },
}

function run(...parts: Partial<CallView>[]) {
  const calls = parts.map((part, index) => ({ ...CALL, callId: `c${index}`, ...part }))
  const facts: CallRun = { type: 'calls', key: 'call:c0', atMs: CALL.atMs, agentId: AGENT.id, calls }
  return show(TimelineCalls, { run: facts, agent: AGENT, hasHeader: true })
}

const lines: readonly (readonly [string, Partial<CallView>])[] = [
  ['waits for a device', {}],
  ['running', { phase: 'started' }],
  ['Done on PC · 12 s', { phase: 'succeeded', by: 'PC', endedMs: 1_012_400 }],
  ['Done on PC', { phase: 'succeeded', by: 'PC', endedMs: 1_000_400 }],
  ['Failed: app_gone · 2 min', { phase: 'failed', code: 'app_gone', endedMs: 1_150_000 }],
]
test.each(lines)('a line says how a call went: %s', (words, part) => {
  const wrapper = run(part)
  expect(wrapper.get('.call-l > span').text()).toBe('Canvas · draw')
  expect(wrapper.get('.st').text()).toBe(words)
})

test('a calculation has its numbers as the agent wrote them', () => {
  const argumentsJson = '{"a":12345678901234567890,"b":0.10}'
  const wrapper = run({ name: 'calculator', action: 'multiply', phase: 'succeeded', argumentsJson, resultJson: '{"message":"1","value":"1"}' })
  expect(wrapper.text()).toContain('12345678901234567890 × 0.10')
})

test('a calculation stands below its line', () => {
  const wrapper = run({ name: 'calculator', action: 'divide', phase: 'succeeded', argumentsJson: '{"a":8,"b":2}', resultJson: '{"message":"4","value":"4"}' })
  expect(wrapper.get('.calc').text()).toBe('8 ÷ 2 = 4')
  expect(wrapper.get('.st').text()).toBe('Done')
})

test('the earlier ones of many are shown on demand', async () => {
  const wrapper = run({}, {}, {}, {}, {})
  expect(wrapper.findAll('.call')).toHaveLength(2)
  await byRole(wrapper, 'button', { name: 'Show 3 earlier calls' }).trigger('click')
  expect(wrapper.findAll('.call')).toHaveLength(5)
  await byRole(wrapper, 'button', { name: 'Hide earlier calls' }).trigger('click')
  expect(wrapper.findAll('.call')).toHaveLength(2)
})
