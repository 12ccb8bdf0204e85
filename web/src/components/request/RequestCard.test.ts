import { flushPromises } from '@vue/test-utils'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'

import { EMPTY_DRAFT, questionDraft, toggleLabel, writeText, type Draft } from '../../protocol/draft'
import { applyEvents, EMPTY_ROOM } from '../../protocol/room'
import { anApproval, anAttachment, anUpdate, aQuestion, aRequest, options } from '../../protocol/testing'
import type { RequestFacts } from '../../protocol/view'
import { byRole, show } from '../testing'
import RequestCard from './RequestCard.vue'

function view(facts: RequestFacts) {
  return applyEvents(EMPTY_ROOM, [{ type: 'request', seq: 1, request: facts }]).requests.get(facts.id)!
}

const yesNo = aQuestion({ text: 'Go **on**?', options: options('Yes', 'No') })

function card(facts: RequestFacts, props: Record<string, unknown> = {}) {
  return show(RequestCard, {
    request: view(facts),
    draft: EMPTY_DRAFT,
    problem: null,
    attachments: [],
    refusals: [],
    quickReplies: [{ text: 'Go on', send: false }, { text: 'Yes, all', send: true }],
    history: ['newest', 'older'],
    typing: '',
    position: 1,
    count: 1,
    nowMs: 0,
    relayNowMs: 1_078_000,
    heldUntilMs: 0,
    undoMs: 3000,
    hasShortcuts: true,
    ...props,
  })
}

function ready() {
  vi.advanceTimersByTime(400)
}

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
  document.body.innerHTML = ''
})

describe('an approval', () => {
  const facts = aRequest({ kind: 'approval', approval: anApproval() })

  beforeAll(async () => {
    await import('../approval/ApprovalCard.vue')
  })

  async function approval(props: Record<string, unknown> = {}, request = facts) {
    const wrapper = card(request, props)
    await vi.waitFor(() => {
      expect(wrapper.find('.cmdbox, .cmd-e, .code').exists()).toBe(true)
    })
    return wrapper
  }

  test('shows the command verbatim with its risky parts, why and where', async () => {
    const wrapper = await approval()
    expect(wrapper.get('.cmdbox').text()).toBe('git push --force origin main')
    expect(wrapper.findAll('mark').map((mark) => mark.text())).toEqual(['--force', 'main'])
    expect(wrapper.text()).toContain('Allow this command?')
    expect(wrapper.text()).toContain('“Remove the leaked key”')
    expect(wrapper.text()).toContain('/home/me/shop-api')
  })

  test('decides by one press after the guard, never by a key', async () => {
    const wrapper = await approval()
    await byRole(wrapper, 'button', { name: 'Allow once' }).trigger('click')
    expect(wrapper.emitted('decide')).toBeUndefined()
    ready()
    await byRole(wrapper, 'textbox', { name: 'Note for the agent (optional)' }).trigger('keydown', { key: 'Enter', ctrlKey: true })
    ;(wrapper.vm as unknown as { chooseByNumber: (n: number) => void }).chooseByNumber(1)
    expect(wrapper.emitted('decide')).toBeUndefined()
    for (const name of ['Allow once', 'Allow for session', 'Deny']) await byRole(wrapper, 'button', { name }).trigger('click')
    expect(wrapper.emitted('decide')).toEqual([['allow_once'], ['allow_session'], ['deny']])
  })

  test('a note turns Deny into Deny with note', async () => {
    const wrapper = await approval({ draft: writeText(EMPTY_DRAFT, 0, 'use a branch') })
    byRole(wrapper, 'button', { name: 'Deny with note' })
  })

  test('an edited command is shown as a difference before it can be allowed', async () => {
    const editable = aRequest({ kind: 'approval', approval: anApproval({ canEdit: true }) })
    const wrapper = await approval({}, editable)
    ready()
    await byRole(wrapper, 'button', { name: 'Edit the command' }).trigger('click')
    await byRole(wrapper, 'textbox', { name: 'The command to run instead' }).setValue('git push origin fix')
    expect(byRole(wrapper, 'button', { name: 'Allow once' }).attributes('disabled')).toBeDefined()
    await byRole(wrapper, 'button', { name: 'Show the change' }).trigger('click')
    const [draft] = wrapper.emitted<[Draft]>('draft')!.at(-1)!
    await wrapper.setProps({ draft })
    expect(wrapper.findAll('code > span').map((line) => line.text())).toEqual(['− git push --force origin main', '+ git push origin fix'])
    byRole(wrapper, 'button', { name: 'Allow the changed command' })
    expect(wrapper.text()).not.toContain('Allow for session')
  })
})

describe('attachments', () => {
  const facts = aRequest({ questions: [yesNo] })

  beforeAll(async () => {
    await import('../composer/AttachmentList.vue')
  })

  test('B90: are listed, can be removed, and are enough of an answer', async () => {
    vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: () => 'blob:1', revokeObjectURL: () => undefined }))
    const wrapper = card(facts, { attachments: [anAttachment(), anAttachment({ id: 'att-2', name: 'log.txt', kind: 'file' })] })
    await vi.waitFor(() => {
      expect(wrapper.findAll('.th')).toHaveLength(2)
    })
    ready()
    await byRole(wrapper, 'button', { name: 'Remove log.txt' }).trigger('click')
    expect(wrapper.emitted('detach')).toEqual([['att-2']])
    await byRole(wrapper, 'radio', { name: 'Yes' }).setValue()
    expect(wrapper.emitted('tap')).toBeUndefined()
    await byRole(wrapper, 'button', { name: 'Send' }).trigger('click')
    expect(wrapper.emitted('send')).toHaveLength(1)
  })

  test('what is refused is said in words before anything is sent', async () => {
    const refusals = [{ code: 'too_large', name: 'film.mov', size: 90e6, limit: 23e6 }]
    const wrapper = card(facts, { refusals })
    await vi.waitFor(() => {
      expect(wrapper.text()).toContain('film.mov is 90 MB; the limit is 23 MB.')
    })
  })

  test('pasted and dropped files are taken, pasted text is text', async () => {
    const wrapper = card(facts)
    ready()
    const file = new File(['x'], 'a.png', { type: 'image/png' })
    await wrapper.get('textarea').trigger('paste', { clipboardData: { files: [file], types: ['Files', 'text/plain'] } })
    expect(wrapper.emitted('attach')).toBeUndefined()
    await wrapper.get('textarea').trigger('paste', { clipboardData: { files: [file], types: ['Files'] } })
    const transfer = { dataTransfer: { files: [file], types: ['Files'] } }
    await wrapper.get('section').trigger('dragover', transfer)
    expect(wrapper.get('section').classes()).toContain('drop')
    await wrapper.get('section').trigger('drop', transfer)
    expect(wrapper.emitted('attach')).toEqual([[[file]], [[file]]])
  })
})

describe('earlier and ready answers', () => {
  test('Up and Down walk through earlier answers only while nothing of the own is there', async () => {
    const wrapper = card(aRequest())
    ready()
    const box = () => byRole(wrapper, 'textbox', { name: 'Write an answer…' })
    const press = async (key: string) => {
      const before = wrapper.emitted('draft')?.length ?? 0
      await box().trigger('keydown', { key })
      const draft = wrapper.emitted<[Draft]>('draft')?.slice(before)[0]?.[0]
      if (draft) await wrapper.setProps({ draft })
      return (box().element as HTMLTextAreaElement).value
    }
    expect(await press('ArrowUp')).toBe('newest')
    expect(await press('ArrowUp')).toBe('older')
    expect(await press('ArrowUp')).toBe('older')
    expect(await press('ArrowDown')).toBe('newest')
    await wrapper.setProps({ draft: writeText(EMPTY_DRAFT, 0, 'my own') })
    expect(await press('ArrowUp')).toBe('my own')
  })

  test('B87: a quick reply is put into the box, or goes out at once with its undo time', async () => {
    await import('../composer/QuickTray.vue')
    const wrapper = card(aRequest())
    ready()
    const choose = async (text: string) => {
      await byRole(wrapper, 'button', { name: 'Quick replies' }).trigger('click')
      const found = await vi.waitUntil(() => [...document.querySelectorAll<HTMLElement>('.qr .btn')].find(({ textContent }) => textContent === text))
      found.click()
    }
    await choose('Go on')
    expect(questionDraft(wrapper.emitted<[Draft]>('draft')![0]![0], 0).text).toBe('Go on')
    await choose('Yes, all')
    expect(questionDraft(wrapper.emitted<[Draft]>('tap')![0]![0], 0).text).toBe('Yes, all')
  })
})

describe('more time', () => {
  test('a named button offers four amounts', async () => {
    vi.useRealTimers()
    const wrapper = card(aRequest())
    await new Promise((resolve) => setTimeout(resolve, 420))
    await byRole(wrapper, 'button', { name: 'More time' }).trigger('click')
    await vi.waitFor(() => {
      expect(document.querySelectorAll('.four .btn')).toHaveLength(4)
    })
    const amounts = [...document.querySelectorAll<HTMLButtonElement>('.four .btn')]
    expect(amounts.map(({ textContent }) => textContent.trim())).toEqual(['10 min', '30 min', '2 h', 'till 9:00'])
    amounts[1]!.click()
    expect(wrapper.emitted('extend')).toEqual([[1800]])
  })

  test('the card says who gave it, and counts down to the new end', () => {
    const facts = aRequest()
    const room = applyEvents(EMPTY_ROOM, [
      { type: 'request', seq: 1, request: facts },
      { type: 'state', seq: 2, update: anUpdate({ phase: 'pending', by: 'iPad', deadlineMs: 1_678_000 }) },
    ])
    const wrapper = card(facts, { request: room.requests.get('r1')! })
    expect(wrapper.text()).toMatch(/iPad gave until \d\d:\d\d/)
    expect(wrapper.get('[role=timer]').text()).toBe('10:00')
  })
})

describe('a question with options', () => {
  const facts = aRequest({ questions: [yesNo] })

  test('shows who asks, what, how long, and always a text box', () => {
    const wrapper = card(facts)
    expect(wrapper.text()).toContain('Claude Code')
    expect(wrapper.text()).toContain('shop-api')
    expect(wrapper.text()).toContain('Go on?')
    expect(wrapper.get('[role=timer]').text()).toBe('8:42')
    byRole(wrapper, 'textbox', { name: 'Or write…' })
  })

  test('B55: swallows taps and keys for 400 ms', async () => {
    const wrapper = card(facts)
    await byRole(wrapper, 'radio', { name: 'Yes' }).trigger('click')
    expect(wrapper.emitted('tap')).toBeUndefined()
    ready()
    await byRole(wrapper, 'radio', { name: 'Yes' }).trigger('click')
    expect(wrapper.emitted('tap')).toHaveLength(1)
  })

  test('one tap answers while nothing is written', async () => {
    const wrapper = card(facts)
    ready()
    await byRole(wrapper, 'radio', { name: 'No' }).setValue()
    const [draft] = wrapper.emitted<[Draft]>('tap')![0]!
    expect(questionDraft(draft, 0).labels).toEqual(['No'])
  })

  test('with words in the box a tap only chooses, and both go together', async () => {
    const wrapper = card(facts, { draft: writeText(EMPTY_DRAFT, 0, 'but later') })
    ready()
    await byRole(wrapper, 'radio', { name: 'No' }).setValue()
    expect(wrapper.emitted('tap')).toBeUndefined()
    const [draft] = wrapper.emitted<[Draft]>('draft')![0]!
    expect(questionDraft(draft, 0)).toMatchObject({ labels: ['No'], text: 'but later' })
  })

  test('arrow keys look at options without answering', async () => {
    const wrapper = card(facts)
    ready()
    const radio = byRole(wrapper, 'radio', { name: 'No' })
    await radio.trigger('keydown', { key: 'ArrowDown' })
    await radio.setValue()
    expect(wrapper.emitted('tap')).toBeUndefined()
    expect(wrapper.emitted('draft')).toHaveLength(1)
  })

  test('nothing is preselected and an empty answer is not sent', async () => {
    const wrapper = card(facts)
    ready()
    expect(wrapper.findAll('input').every(({ element }) => !element.checked)).toBe(true)
    await byRole(wrapper, 'button', { name: 'Send' }).trigger('click')
    expect(wrapper.emitted('send')).toBeUndefined()
  })

  test('while the undo time runs, Undo stands where the text box was', async () => {
    const draft = toggleLabel(EMPTY_DRAFT, 0, yesNo, 'Yes')
    const wrapper = card(facts, { draft, heldUntilMs: 2500 })
    ready()
    expect(byRole(wrapper, 'status', { name: 'Sending in 3 s' }).exists()).toBe(true)
    expect(wrapper.find('textarea').exists()).toBe(false)
    await byRole(wrapper, 'button', { name: 'Undo' }).trigger('click')
    expect(wrapper.emitted('undo')).toHaveLength(1)
  })
})

describe('the keyboard', () => {
  const facts = aRequest({ questions: [yesNo] })
  const draft = writeText(EMPTY_DRAFT, 0, 'text')

  async function press(init: Record<string, unknown>) {
    const wrapper = card(facts, { draft })
    ready()
    await wrapper.get('textarea').trigger('keydown', init)
    return wrapper.emitted('send')?.length ?? 0
  }

  test('Ctrl+Enter and ⌘+Enter send, Enter does not', async () => {
    expect(await press({ key: 'Enter', ctrlKey: true })).toBe(1)
    expect(await press({ key: 'Enter', metaKey: true })).toBe(1)
    expect(await press({ key: 'Enter' })).toBe(0)
  })

  test('B58: not while an input method composes', async () => {
    expect(await press({ key: 'Enter', ctrlKey: true, isComposing: true })).toBe(0)
    const old: Record<string, unknown> = { key: 'Enter', ctrlKey: true, keyCode: 229 }
    expect(await press(old)).toBe(0)
  })

  test('B53: Esc leaves the box and changes nothing', async () => {
    const wrapper = card(facts, { draft })
    ready()
    const box = wrapper.get('textarea')
    box.element.focus()
    await box.trigger('keydown', { key: 'Escape' })
    expect(document.activeElement).not.toBe(box.element)
    for (const name of ['draft', 'send', 'dismiss', 'tap', 'fold']) expect(wrapper.emitted(name)).toBeUndefined()
  })
})

describe('a form', () => {
  const facts = aRequest({
    questions: [
      aQuestion({ text: 'Format?', header: 'Format', options: options('CSV', 'JSON') }),
      aQuestion({ text: 'When?', header: 'When', options: options('Now'), custom: false }),
    ],
  })

  beforeAll(async () => {
    await import('./RequestForm.vue')
  })

  test('warns of gaps once, then sends what there is', async () => {
    const draft = toggleLabel(EMPTY_DRAFT, 0, facts.questions[0]!, 'CSV')
    const wrapper = card(facts, { draft })
    await flushPromises()
    ready()
    expect(wrapper.text()).toContain('1 of 2')
    await byRole(wrapper, 'button', { name: 'Send answers' }).trigger('click')
    expect(wrapper.emitted('send')).toBeUndefined()
    expect(wrapper.text()).toContain('This one is still open')
    await byRole(wrapper, 'button', { name: 'Send answers' }).trigger('click')
    expect(wrapper.emitted('send')).toHaveLength(1)
  })

  test('every question takes words: through Other, or in a field of its own', async () => {
    const wrapper = card(facts)
    await flushPromises()
    ready()
    expect(wrapper.findAll('textarea')).toHaveLength(1)
    await byRole(wrapper, 'radio', { name: 'Other' }).setValue()
    await wrapper.setProps({ draft: wrapper.emitted<[Draft]>('draft')![0]![0] })
    expect(wrapper.findAll('textarea')).toHaveLength(2)
    expect(wrapper.emitted('tap')).toBeUndefined()
  })

  test('who takes Other is in its field; without words it is a gap', async () => {
    const wrapper = card(facts, {
      onDraft: (draft: Draft) => {
        void wrapper.setProps({ draft })
      },
    })
    await flushPromises()
    ready()
    await byRole(wrapper, 'radio', { name: 'Other' }).setValue()
    await flushPromises()
    expect(document.activeElement).toBe(wrapper.find('.fq textarea').element)
    expect(wrapper.text()).toContain('0 of 2')
    await byRole(wrapper, 'radio', { name: 'CSV' }).setValue()
    await byRole(wrapper, 'radio', { name: 'Other' }).trigger('keydown', { key: 'Enter' })
    await flushPromises()
    expect(document.activeElement).toBe(wrapper.find('.fq textarea').element)
  })
})

describe('Ctrl+Enter outside of the text box', () => {
  const send = (wrapper: ReturnType<typeof card>) => (wrapper.vm as unknown as { sendByKey: () => boolean }).sendByKey()
  const draft = writeText(EMPTY_DRAFT, 0, 'ok')

  test('sends what there is once the guard is over', () => {
    const wrapper = card(aRequest({ questions: [yesNo] }), { draft })
    expect(send(wrapper)).toBe(false)
    ready()
    expect(send(wrapper)).toBe(true)
    expect(wrapper.emitted('send')).toHaveLength(1)
  })

  test('sends an answer that waits out its undo time at once', () => {
    const wrapper = card(aRequest({ questions: [yesNo] }), { draft, heldUntilMs: 1 })
    expect(send(wrapper)).toBe(false)
    ready()
    expect(send(wrapper)).toBe(true)
    expect(wrapper.emitted('now')).toHaveLength(1)
    expect(wrapper.emitted('send')).toBeUndefined()
  })

  test('sends nothing where there is nothing, and no permission', () => {
    const cards = [
      card(aRequest({ questions: [yesNo] })),
      card(aRequest({ kind: 'approval', approval: anApproval() }), { draft }),
    ]
    ready()
    expect(cards.map(send)).toEqual([false, false])
  })
})

describe('a report', () => {
  const facts = aRequest({ kind: 'report', questions: [], text: 'All **done**' })

  test('is confirmed with one button, or answered in words', async () => {
    const wrapper = card(facts)
    ready()
    await byRole(wrapper, 'button', { name: 'Confirm' }).trigger('click')
    expect(wrapper.emitted('confirm')).toHaveLength(1)
    byRole(wrapper, 'textbox', { name: 'Write a reply…' })
  })
})

test('an answer that is too long is refused before it is sent', async () => {
  const draft = writeText(EMPTY_DRAFT, 0, 'x'.repeat(100_003))
  const wrapper = card(aRequest({ questions: [yesNo] }), { draft })
  expect(wrapper.text()).toContain('Too long by 3 characters; the limit is 100000.')
  ready()
  await byRole(wrapper, 'button', { name: 'Send' }).trigger('click')
  expect(wrapper.emitted('send')).toBeUndefined()
})

test('says that a reply was refused and that the agent is gone', () => {
  const request = { ...view(aRequest({ questions: [yesNo] })), agentGone: true }
  const wrapper = card(aRequest(), { request, problem: { code: 'too_large', message: '9 MB' } })
  expect(wrapper.text()).toContain('Not sent: it is too large')
  expect(wrapper.text()).toContain('Claude Code is gone. You can still answer')
})

test('the last two minutes are announced once', async () => {
  const wrapper = card(aRequest({ questions: [yesNo] }), { relayNowMs: 1_479_000 })
  await wrapper.setProps({ relayNowMs: 1_481_000 })
  await wrapper.setProps({ relayNowMs: 1_482_000 })
  expect(wrapper.emitted('announce')).toEqual([['2 minutes left']])
})

test('the place among the cards is short for the eye and whole for a screen reader', () => {
  const place = card(aRequest({ questions: [yesNo] }), { position: 1, count: 2 }).find('.of')
  expect(place.find('[aria-hidden]').text()).toBe('1/2')
  expect(place.find(':not([aria-hidden])').text()).toBe('1 of 2')
})
