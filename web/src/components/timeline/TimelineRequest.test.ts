import { afterEach, expect, test } from 'vitest'

import { EMPTY_DRAFT, writeText } from '../../protocol/draft'
import type { RoomEvent } from '../../protocol/events'
import { applyEvents, EMPTY_ROOM } from '../../protocol/room'
import { anEntry, anUpdate, aQuestion, aReply, aRequest, options } from '../../protocol/testing'
import { byRole, show } from '../testing'
import TimelineRequest from './TimelineRequest.vue'

const request = aRequest({ questions: [aQuestion({ options: options('A', 'B') })] })
const asked: RoomEvent = { type: 'request', seq: 1, request }
const answered: RoomEvent = { type: 'reply', seq: 2, request, reply: aReply() }

function entry(events: RoomEvent[], props: Record<string, unknown> = {}) {
  const view = applyEvents(EMPTY_ROOM, events).requests.get('r1')
  return show(TimelineRequest, { request: view, sending: null, draft: EMPTY_DRAFT, ...props })
}

function ended(part: Parameters<typeof anUpdate>[0]): RoomEvent {
  return { type: 'state', seq: 2, update: anUpdate(part) }
}

afterEach(() => {
  document.body.innerHTML = ''
  localStorage.clear()
})

test('an answer on its way is never called sent', async () => {
  const wrapper = entry([asked], { sending: anEntry({ state: 'sending', attempts: 1 }) })
  expect(wrapper.text()).toContain('Sending…')
  await wrapper.setProps({ sending: anEntry({ state: 'queued' }) })
  expect(wrapper.text()).toContain('Not sent, will retry')
  await byRole(wrapper, 'button', { name: 'Take back' }).trigger('click')
  expect(wrapper.emitted('takeBack')).toHaveLength(1)
  await wrapper.setProps({ sending: anEntry({ state: 'queued', code: 'log_unavailable', attempts: 1 }) })
  expect(wrapper.text()).toContain('The relay cannot save right now. Your answer stays here.')
})

test('what may have reached the relay cannot be taken back', () => {
  const wrapper = entry([asked], { sending: anEntry({ state: 'queued', attempts: 1 }) })
  expect(wrapper.text()).not.toContain('Take back')
})

test('sent, then the agent has it, with who answered', () => {
  expect(entry([asked, answered]).text()).toMatch(/A.*iPad.*Sent/s)
  const received: RoomEvent = { type: 'state', seq: 3, update: anUpdate({ received: true }) }
  expect(entry([asked, answered, received]).text()).toContain('Agent has it')
})

test('B56: the options stay readable', async () => {
  const wrapper = entry([asked, answered])
  expect(wrapper.text()).not.toContain('B')
  await byRole(wrapper, 'button', { name: 'Show 2 options' }).trigger('click')
  expect(wrapper.find('ul').text()).toBe('AB')
})

test('every end has its words', () => {
  expect(entry([asked, ended({ phase: 'expired', changedMs: 1 })]).text()).toContain('Time ran out at')
  expect(entry([asked, ended({ phase: 'cancelled', message: 'Found it' })]).text()).toContain(
    'Withdrawn by Claude Code: “Found it”',
  )
  expect(entry([asked, ended({ phase: 'cancelled', reason: 'agent_ended' })]).text()).toContain(
    'Claude Code ended while it was waiting',
  )
  expect(entry([asked, ended({ phase: 'declined', by: 'iPad' })]).text()).toContain('Dismissed on iPad')
})

test('an expired card can still be answered late', async () => {
  const wrapper = entry([asked, ended({ phase: 'expired' })])
  await byRole(wrapper, 'button', { name: 'Answer late' }).trigger('click')
  expect(wrapper.emitted('late')).toHaveLength(1)
  const late = entry([asked, ended({ phase: 'expired' }), { ...answered, seq: 3 }])
  expect(late.text()).toContain('Late, waits for Claude Code')
})

test('text that lost the race is kept and can be copied', () => {
  const wrapper = entry([asked, answered], { draft: writeText(EMPTY_DRAFT, 0, 'PKCE, please') })
  expect(wrapper.text()).toContain('Your draft, not sent: “PKCE, please”')
  byRole(wrapper, 'button', { name: 'Copy' })
})

test('a confirmed report says so in its box', () => {
  const report = aRequest({ kind: 'report', questions: [], text: 'Done' })
  const wrapper = entry([
    { type: 'reply', seq: 2, request: report, reply: aReply({ answers: [], text: 'Confirmed' }) },
  ])
  expect(wrapper.text()).toMatch(/Work report.*Done.*Confirmed on iPad/s)
})

test('its own answers are known after a reload by its name', () => {
  localStorage.setItem('lineup.settings', JSON.stringify({ nickname: 'iPad' }))
  const report = aRequest({ kind: 'report', questions: [], text: 'Done' })
  const confirmed: RoomEvent = { type: 'reply', seq: 2, request: report, reply: aReply({ answers: [], text: 'Confirmed' }) }
  expect(entry([asked, answered]).text()).not.toContain('iPad')
  expect(entry([confirmed]).text()).toMatch(/Confirmed(?! on)/)
  expect(entry([asked, ended({ phase: 'declined', by: 'iPad' })]).text()).toContain('You dismissed it')
  expect(entry([asked, ended({ phase: 'declined', by: 'iPhone' })]).text()).toContain('Dismissed on iPhone')
})
