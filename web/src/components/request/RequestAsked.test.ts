import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'

import { EMPTY_DRAFT } from '../../protocol/draft'
import { applyEvents, EMPTY_ROOM } from '../../protocol/room'
import { aQuestion, aRequest, options } from '../../protocol/testing'
import type { AskedView, QuestionView } from '../../protocol/view'
import { byRole, show } from '../testing'
import RequestCard from './RequestCard.vue'
import RequestEnded from './RequestEnded.vue'

function asked(part: Partial<AskedView>, question: Partial<QuestionView> = {}) {
  const tool = { tool: 'input' as const, field: 'line' as const, placeholder: '', ...part }
  const request = aRequest({ asked: tool, questions: [aQuestion(question)] })
  return applyEvents(EMPTY_ROOM, [{ type: 'request', seq: 1, request }]).requests.get('r1')
}

function card(part: Partial<AskedView>, question: Partial<QuestionView> = {}) {
  return show(RequestCard, {
    ...{ request: asked(part, question), draft: EMPTY_DRAFT, problem: null, attachments: [], refusals: [], quickReplies: [], history: [] },
    ...{ typing: '', position: 1, count: 1, nowMs: 0, relayNowMs: 1_078_000, heldUntilMs: 0, undoMs: 3000, hasShortcuts: true, canDictate: false },
  })
}

beforeAll(async () => {
  await import('./RequestSecret.vue')
})

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
  document.body.innerHTML = ''
})

test('a choice is answered by one tap, as a question is', async () => {
  const wrapper = card({ tool: 'choice', field: 'lines' }, { options: options('Red', 'Blue') })
  vi.advanceTimersByTime(400)
  await byRole(wrapper, 'radio', { name: 'Blue' }).trigger('change')
  expect(wrapper.emitted('tap')).toMatchObject([[{ questions: [{ labels: ['Blue'] }] }]])
})

test('a call has no "More time" and no "Done": the agent’s call ends when it ends', () => {
  expect(card({}).text()).not.toContain('More time')
})

test('a line is sent by Enter, but not while an input method composes', async () => {
  const wrapper = card({ placeholder: 'for example main' })
  vi.advanceTimersByTime(400)
  await wrapper.setProps({ draft: { questions: [{ labels: [], other: false, text: 'main' }] } })
  const box = byRole(wrapper, 'textbox', { name: 'for example main' })
  await box.trigger('keydown', { key: 'Enter', isComposing: true })
  expect(wrapper.emitted('send')).toBeUndefined()
  await box.trigger('keydown', { key: 'Enter' })
  expect(wrapper.emitted('send')).toHaveLength(1)
})

async function secret() {
  const wrapper = card({ field: 'secret' })
  await vi.waitFor(() => {
    expect(wrapper.find('input[type=password]').exists()).toBe(true)
  })
  vi.advanceTimersByTime(400)
  return wrapper
}

test('a secret is typed hidden, is no draft, and is gone when it is sent', async () => {
  const wrapper = await secret()
  const field = wrapper.get('input[type=password]')
  await field.setValue(' hunter2')
  expect(wrapper.emitted('draft')).toBeUndefined()
  await field.trigger('keydown', { key: 'Enter', isComposing: true })
  expect(wrapper.emitted('secret')).toBeUndefined()
  await field.trigger('keydown', { key: 'Enter' })
  expect(wrapper.emitted('secret')).toEqual([[' hunter2']])
  expect((field.element as HTMLInputElement).value).toBe('')
  await byRole(wrapper, 'button', { name: 'Send' }).trigger('click')
  expect(wrapper.emitted('secret')).toHaveLength(1)
})

test('a secret can be looked at while it is typed; nothing is attached, dictated or proposed', async () => {
  const wrapper = await secret()
  await wrapper.get('input').setValue('hunter2')
  await byRole(wrapper, 'button', { name: 'Show what is typed' }).trigger('click')
  expect(wrapper.get('input').attributes('type')).toBe('text')
  for (const name of ['Attach', 'Quick replies', 'Record a voice note']) expect(() => byRole(wrapper, 'button', { name })).toThrow()
})

test('a call that is over cannot be answered late', () => {
  const ended = { ...asked({ tool: 'choice', field: 'lines' }), phase: 'expired', changedMs: 2_000_000 }
  const wrapper = show(RequestEnded, { request: ended, draft: EMPTY_DRAFT, files: 0, problem: null, count: 0 })
  expect(wrapper.find('textarea').exists()).toBe(false)
  expect(wrapper.text()).not.toContain('Send as late answer')
})
