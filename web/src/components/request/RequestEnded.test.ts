import { afterEach, expect, test, vi } from 'vitest'

import { EMPTY_DRAFT, writeText } from '../../protocol/draft'
import { applyEvents, EMPTY_ROOM } from '../../protocol/room'
import { anUpdate, aRequest } from '../../protocol/testing'
import type { StateUpdate } from '../../protocol/view'
import { byRole, show } from '../testing'
import RequestEnded from './RequestEnded.vue'

function card(reason: string, more: Partial<StateUpdate> = {}, words = 'typed', problem: { code: string; message: string } | null = null) {
  const { requests } = applyEvents(EMPTY_ROOM, [
    { type: 'request', seq: 1, request: aRequest() },
    { type: 'state', seq: 2, update: anUpdate({ phase: 'cancelled', message: reason, ...more }) },
  ])
  const draft = writeText(EMPTY_DRAFT, 0, words)
  return show(RequestEnded, { request: requests.get('r1'), draft, files: 0, problem })
}

afterEach(() => {
  vi.useRealTimers()
  document.body.innerHTML = ''
})

test('how it ended is announced, and is still the heading of the card', () => {
  const wrapper = card('no need')
  const words = 'Withdrawn by Claude Code: “no need”'
  expect(byRole(wrapper, 'status', { name: words }).exists()).toBe(true)
  // axe: a heading may not have the role itself.
  expect(wrapper.get('h2:not([role])').text()).toBe(words)
  expect(wrapper.get('textarea').element.value).toBe('typed')
})

test('Ctrl+Enter in its text box sends late, after the guard and outside of an input method', async () => {
  vi.useFakeTimers()
  const wrapper = card('no need')
  const press = (more = {}) => wrapper.get('textarea').trigger('keydown', { key: 'Enter', ctrlKey: true, ...more })
  await press()
  vi.advanceTimersByTime(400)
  await press({ isComposing: true })
  expect(wrapper.emitted('late')).toBeUndefined()
  await press()
  expect(wrapper.emitted('late')).toHaveLength(1)
})

test('words that lost the race can be changed and sent as a note, but not as an answer', async () => {
  vi.useFakeTimers()
  const wrapper = card('', { phase: 'answered', by: 'Pocket' })
  vi.advanceTimersByTime(400)
  expect(wrapper.get('textarea').attributes('readonly')).toBeUndefined()
  expect(wrapper.text()).not.toContain('Send as late answer')
  await byRole(wrapper, 'button', { name: 'Send as a note' }).trigger('click')
  await wrapper.get('textarea').trigger('keydown', { key: 'Enter', ctrlKey: true })
  expect(wrapper.emitted('note')).toHaveLength(2)
  expect(wrapper.emitted('late')).toBeUndefined()
})

test('a change that came too late says on the card why it did not go out', () => {
  const wrapper = card('', { phase: 'answered', by: 'Pocket' }, 'typed', { code: 'not_corrected', message: '' })
  expect(wrapper.get('.note.bad').text()).toBe('Not sent: the agent has the first answer already')
})

test('without words there is nothing to send as a note', () => {
  const wrapper = card('', { phase: 'answered', by: 'Pocket' }, '')
  expect(wrapper.text()).not.toContain('Send as a note')
})
