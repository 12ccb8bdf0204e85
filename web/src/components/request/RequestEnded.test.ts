import { afterEach, expect, test, vi } from 'vitest'

import { EMPTY_DRAFT, writeText, type Draft } from '../../protocol/draft'
import { applyEvents, EMPTY_ROOM } from '../../protocol/room'
import { anUpdate, aQuestion, aRequest } from '../../protocol/testing'
import type { QuestionView, StateUpdate } from '../../protocol/view'
import { byRole, show } from '../testing'
import RequestEnded from './RequestEnded.vue'

function card(
  reason: string,
  more: Partial<StateUpdate> = {},
  kept: string | Draft = 'typed',
  problem: { code: string; message: string } | null = null,
  questions: QuestionView[] = [],
  count = 0,
) {
  const { requests } = applyEvents(EMPTY_ROOM, [
    { type: 'request', seq: 1, request: aRequest(questions.length > 0 ? { questions } : {}) },
    { type: 'state', seq: 2, update: anUpdate({ phase: 'cancelled', message: reason, ...more }) },
  ])
  const draft = typeof kept === 'string' ? writeText(EMPTY_DRAFT, 0, kept) : kept
  return show(RequestEnded, { request: requests.get('r1'), draft, files: 0, problem, count })
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

test('what was chosen stands there, with the right word for it', () => {
  const choice = { questions: [{ labels: ['Red', 'Blue'], other: false, text: '' }] }
  const wrapper = card('no need', {}, choice)
  expect(wrapper.get('.kept').text()).toBe('Red, Blue')
  expect(wrapper.text()).toContain('Your choice is kept here.')
  expect(wrapper.text()).not.toContain('Your text is kept here.')
})

test('of a form it says what belongs to which question', () => {
  const questions = [aQuestion({ header: 'Colour' }), aQuestion({ header: 'Why' })]
  const answers = { questions: [{ labels: ['Red'], other: false, text: 'dark' }, { labels: [], other: false, text: 'It is warm' }] }
  const wrapper = card('', {}, answers, null, questions)
  expect(wrapper.findAll('.kept li').map((line) => line.text())).toEqual(['Colour: Red', 'Why: It is warm'])
})

test('cards that wait behind it are counted, and one tap away', async () => {
  vi.useFakeTimers()
  const wrapper = card('', {}, '', null, [], 2)
  vi.advanceTimersByTime(400)
  const next = byRole(wrapper, 'button', { name: '2 wait for you Next' })
  await next.trigger('click')
  expect(wrapper.emitted('close')).toHaveLength(1)
})
