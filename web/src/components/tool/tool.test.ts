import { mount, RouterLinkStub } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { i18n } from '../../i18n'
import type { CallView } from '../../protocol/callLog'
import type { OpenTool } from '../../stores/openTools'
import { byRole, show } from '../testing'
import CallRow from './CallRow.vue'
import MiniAppFrame from './MiniAppFrame.vue'
import OtherTools from './OtherTools.vue'
import ToolStrip from './ToolStrip.vue'

const APP = { id: 'pomodoro', version: '1', title: 'Pomodoro', tools: [], src: 'miniapps/pomodoro/index.html' }

beforeEach(() => {
  setActivePinia(createPinia())
})

afterEach(() => {
  document.body.innerHTML = ''
})

describe('the frame of a MiniApp', () => {
  test('may run scripts and nothing else', () => {
    const frame = show(MiniAppFrame, { app: APP, phase: 'started' }).get('iframe')
    expect(frame.attributes()).toMatchObject({ sandbox: 'allow-scripts', referrerpolicy: 'no-referrer', allow: '', title: 'Pomodoro, a MiniApp' })
  })

  test('is heard, and no other window is', () => {
    const wrapper = show(MiniAppFrame, { app: APP, phase: 'started' })
    const { contentWindow } = wrapper.get('iframe').element as HTMLIFrameElement
    for (const source of [window, null]) window.dispatchEvent(new MessageEvent('message', { data: 'forged', source }))
    expect(wrapper.emitted('heard')).toBeUndefined()
    window.dispatchEvent(new MessageEvent('message', { data: 'own', source: contentWindow }))
    expect(wrapper.emitted('heard')).toEqual([['own']])
  })

  test('that loads a second time has begun anew', async () => {
    const wrapper = show(MiniAppFrame, { app: APP, phase: 'started' })
    await wrapper.get('iframe').trigger('load')
    expect(wrapper.emitted('reloaded')).toBeUndefined()
    await wrapper.get('iframe').trigger('load')
    expect(wrapper.emitted('reloaded')).toHaveLength(1)
  })

  test('that crashed says so and can be restarted', async () => {
    const wrapper = show(MiniAppFrame, { app: APP, phase: 'crashed' })
    expect(wrapper.get('[role=alert]').text()).toContain('The MiniApp stopped.')
    await byRole(wrapper, 'button', { name: 'Restart' }).trigger('click')
    expect(wrapper.emitted('restart')).toHaveLength(1)
  })
})

describe('a call in the list', () => {
  const CALL: CallView = {
    ...{ callId: 'c', name: 'calculator', action: 'divide', argumentsJson: '{}', applicationId: '', agentId: 'a', timeoutMs: 0, atMs: 0 },
    ...{ phase: null, progress: 0, total: 0, message: '', resultJson: '', code: '', by: '', endedMs: 0 },
  }

  const lines: readonly (readonly [string, Partial<CallView>])[] = [
    ['Codex · waits for a device', {}],
    ['Codex · running', { phase: 'accepted' }],
    ['Codex · Done on PC', { phase: 'succeeded', by: 'PC' }],
    ['Codex · Failed: cannot divide by zero', { phase: 'failed', message: 'cannot divide by zero' }],
    ['Codex · Failed: app_gone', { phase: 'failed', code: 'app_gone' }],
    ['Codex · Taken by PC', { phase: 'taken', by: 'PC' }],
    ['Codex · Taken by another device', { phase: 'taken' }],
    ['Codex · Withdrawn', { phase: 'cancelled' }],
    ['Codex · Time ran out', { phase: 'expired' }],
  ]
  test.each(lines)('%s', (words, part) => {
    const wrapper = show(CallRow, { call: { ...CALL, ...part }, agent: 'Codex', app: '' })
    expect(wrapper.get('.a').text()).toBe('Calculator · divide')
    expect(wrapper.get('.b2').text()).toBe(words)
  })

  test('of the calculator has the calculation', () => {
    const part = { phase: 'succeeded' as const, argumentsJson: '{"a":8,"b":2}', resultJson: '{"message":"4","value":"4"}' }
    const wrapper = show(CallRow, { call: { ...CALL, ...part }, agent: 'Codex', app: '' })
    expect(wrapper.get('.calc').text()).toBe('8 ÷ 2 = 4')
    expect(wrapper.get('.b2').text()).toBe('Codex · Done')
  })

  test('of another tool has what it said', () => {
    const part = { name: 'canvas', action: 'draw', phase: 'succeeded' as const, resultJson: '{"message":"Drawn"}' }
    const wrapper = show(CallRow, { call: { ...CALL, ...part }, agent: 'Codex', app: '' })
    expect(wrapper.get('.a').text()).toBe('Canvas · draw')
    expect(wrapper.get('.b2').text()).toBe('Codex · Done: Drawn')
  })

  test('of a MiniApp has its title', () => {
    const wrapper = show(CallRow, { call: { ...CALL, applicationId: 'pomodoro', action: 'start' }, agent: '', app: 'Pomodoro' })
    expect(wrapper.get('.a').text()).toBe('Pomodoro · start')
  })
})

describe('the way to other tools', () => {
  const canvas = { kind: 'canvas' as const, title: '', agentId: '', size: '' }
  const second: OpenTool = { ...canvas, id: 'b', number: 2 }
  const third: OpenTool = { ...canvas, id: 'c', number: 3 }
  const global = { plugins: [createPinia(), i18n], stubs: { RouterLink: RouterLinkStub } }

  test('is not there without one', () => {
    expect(mount(OtherTools, { props: { tools: [] }, global }).findComponent(RouterLinkStub).exists()).toBe(false)
  })

  test('leads to the one, or to the list of them, and what comes is announced', async () => {
    const wrapper = mount(OtherTools, { props: { tools: [] }, global })
    const link = () => wrapper.getComponent(RouterLinkStub)
    await wrapper.setProps({ tools: [second] })
    expect([link().props('to'), link().attributes('aria-label')]).toEqual(['/tool/b', 'Canvas 2'])
    expect(wrapper.get('[role=status]').text()).toBe('Canvas 2, opened here')
    await wrapper.setProps({ tools: [second, third] })
    expect([link().props('to'), link().attributes('aria-label')]).toEqual(['/tools', '2 other tools in use'])
    expect(wrapper.get('[role=status]').text()).toBe('Canvas 3, opened here')
  })
})

test('tools in use can be told apart', () => {
  const canvas = { kind: 'canvas' as const, title: '', agentId: '' }
  const tools: OpenTool[] = [
    { ...canvas, id: 'a', number: 1, size: '800 × 600' },
    { ...canvas, id: 'b', number: 2, size: '40 × 30' },
    { id: 'pomodoro', kind: 'miniapp', title: 'Pomodoro', agentId: '', number: 0, size: '', isStopped: true },
  ]
  const wrapper = mount(ToolStrip, { props: { tools }, global: { plugins: [createPinia(), i18n], stubs: { RouterLink: RouterLinkStub } } })
  const words = wrapper.findAllComponents(RouterLinkStub).map((link) => link.findAll('b, span').map((part) => part.text()))
  expect(words).toEqual([['Canvas', 'opened here · 800 × 600'], ['Canvas 2', 'opened here · 40 × 30'], ['Pomodoro', 'stopped · opened here']])
})
