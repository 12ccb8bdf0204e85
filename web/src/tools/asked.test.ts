import { describe, expect, test } from 'vitest'

import { EMPTY_DRAFT, replyOf, toggleLabel, writeText, type Draft } from '../protocol/draft'
import { AGENT, anEntry } from '../protocol/testing'
import { anUpdateOf, type CallFacts, type CallPhase } from '../protocol/tools'
import type { RequestFacts } from '../protocol/view'
import { outcomeOf, requestOf, resultJsonOf, stateOf } from './asked'

const WORDS = { yes: 'Ja', no: 'Nein' }

function called(name: string, args: unknown, part: Partial<CallFacts> = {}): RequestFacts | null {
  const call = { callId: 'call-1', name, action: name, argumentsJson: JSON.stringify(args), applicationId: '', agentId: 'agent-1', timeoutMs: 90_000, atMs: 5_000 }
  return requestOf({ ...call, ...part }, AGENT, WORDS)
}

function result(request: RequestFacts | null, draft: Draft): unknown {
  return JSON.parse(resultJsonOf(request!, replyOf(request!, draft, 'answer')))
}

function chosen(request: RequestFacts | null, ...labels: string[]): Draft {
  return labels.reduce((draft, label) => toggleLabel(draft, 0, request!.questions[0]!, label), EMPTY_DRAFT)
}

describe('choice', () => {
  const request = called('choice', { question: 'Which **one**?', options: ['Red', 'Blue', 'Red'] })

  test('is a question with its options, each once, by the relay’s clock', () => {
    expect(request).toMatchObject({
      ...{ id: 'call-1', kind: 'question', agent: AGENT, createdMs: 5_000, timeoutSeconds: 90 },
      questions: [{ text: 'Which **one**?', multiple: false, options: [{ label: 'Red' }, { label: 'Blue' }] }],
      asked: { tool: 'choice', field: 'lines' },
    })
    expect(request?.questions[0]?.options).toHaveLength(2)
  })

  test('its result is the option, the words, or both', () => {
    expect(result(request, chosen(request, 'Blue'))).toEqual({ message: 'Blue', choice: 'Blue', index: 1 })
    expect(result(request, writeText(EMPTY_DRAFT, 0, 'Green'))).toEqual({ message: 'Green', other: 'Green' })
    expect(result(request, writeText(chosen(request, 'Red'), 0, 'dark'))).toEqual({ message: 'Red\ndark', choice: 'Red', index: 0, other: 'dark' })
  })
})

test('multi_choice gives all that were chosen, in their order', () => {
  const request = called('multi_choice', { question: 'Which?', options: ['a', 'b', 'c'] })
  expect(request?.questions[0]?.multiple).toBe(true)
  expect(result(request, chosen(request, 'c', 'a'))).toEqual({ message: 'a\nc', choices: ['a', 'c'] })
  expect(result(request, writeText(EMPTY_DRAFT, 0, 'none'))).toEqual({ message: 'none', choices: [], other: 'none' })
})

describe('confirm', () => {
  test('has yes and no in the reader’s words unless the agent has its own', () => {
    const labels = (args: object) => called('confirm', args)?.questions[0]?.options.map(({ label }) => label)
    expect(labels({ question: 'Go?' })).toEqual(['Ja', 'Nein'])
    expect(labels({ question: 'Go?', yes: ' Delete ', no: 'Keep' })).toEqual(['Delete', 'Keep'])
    expect(labels({ question: 'Go?', yes: 'Same', no: 'Same' })).toBeUndefined()
  })

  test('confirms by yes only', () => {
    const request = called('confirm', { question: 'Go?', yes: 'Delete' })
    expect(result(request, chosen(request, 'Delete'))).toEqual({ message: 'Delete', confirmed: true })
    expect(result(request, chosen(request, 'Nein'))).toEqual({ message: 'Nein', confirmed: false })
    expect(result(request, writeText(EMPTY_DRAFT, 0, 'Delete'))).toEqual({ message: 'Delete', confirmed: false, other: 'Delete' })
  })
})

describe('input', () => {
  test('is a field of the asked kind', () => {
    const field = (part = {}) => called('input', { question: 'Name?', placeholder: 'x', ...part })?.asked
    expect(field()).toEqual({ tool: 'input', field: 'line', placeholder: 'x' })
    expect(field({ multiline: true })?.field).toBe('lines')
    expect(field({ secret: true })?.field).toBe('secret')
    expect(field({ secret: true, multiline: true })?.field).toBe('secret')
  })

  test('that may have to stay hidden is not shown', () => {
    for (const secret of ['true', 1, null]) expect(called('input', { question: 'Name?', secret })).toBeNull()
  })

  test('gives what was typed; of a secret every blank', () => {
    expect(result(called('input', { question: 'Name?' }), writeText(EMPTY_DRAFT, 0, ' Ada '))).toEqual({ message: 'Ada' })
    expect(result(called('input', { question: 'Key?', secret: true }), writeText(EMPTY_DRAFT, 0, ' k e y '))).toEqual({ message: ' k e y ' })
  })
})

test('what is no question stays a call', () => {
  expect(called('choice', { question: 'Which?', options: [] })).toBeNull()
  expect(called('choice', { question: ' ', options: ['a'] })).toBeNull()
  expect(called('choice', { question: 'Which?', options: [1, {}] })).toBeNull()
  expect(called('choice', [])).toBeNull()
  expect(called('calculator', { a: 1, b: 2 })).toBeNull()
  expect(called('constructor', {})).toBeNull()
  expect(called('choice', { question: 'Which?', options: ['a'] }, { applicationId: 'app' })).toBeNull()
})

test('an agent that is not known yet has a name all the same', () => {
  const call = { callId: 'c', name: 'confirm', action: '', argumentsJson: '{"question":"Go?"}', applicationId: '', agentId: 'a9', timeoutMs: 0, atMs: 1 }
  expect(requestOf(call, undefined, WORDS)?.agent).toMatchObject({ id: 'a9', name: 'Agent', client: '' })
})

test('an answer goes out as the result, a dismissal as a failure', () => {
  const entry = anEntry({ requestId: 'call-1', kind: 'call', resultJson: '{"message":"Red"}' })
  expect(outcomeOf(entry, [])).toMatchObject({ callId: 'call-1', phase: 'succeeded', resultJson: '{"message":"Red"}' })
  expect(outcomeOf({ ...entry, action: 'decline', resultJson: '' }, [])).toMatchObject({ phase: 'failed', code: 'declined', resultJson: '' })
})

test('what the relay says of the call becomes the state of the question', () => {
  const phase = (now: CallPhase, code = '') => {
    const event = stateOf({ type: 'callUpdate', seq: 7, update: anUpdateOf('call-1', now, { code }), by: 'iPad', atMs: 9 })
    return event.type === 'state' ? event.update : null
  }
  expect(phase('taken')).toMatchObject({ requestId: 'call-1', phase: 'answered', by: 'iPad', changedMs: 9 })
  expect(phase('succeeded')?.phase).toBe('answered')
  expect(phase('failed', 'declined')?.phase).toBe('declined')
  expect(phase('failed', 'tool_changed')).toMatchObject({ phase: 'cancelled', reason: 'tool_changed' })
  expect(phase('cancelled')?.phase).toBe('cancelled')
  expect(phase('expired')?.phase).toBe('expired')
  expect(phase('accepted')?.phase).toBeNull()
})

test('what another device answered is read from the result', () => {
  const answersOf = (result: unknown) => {
    const event = stateOf({ type: 'callUpdate', seq: 7, update: anUpdateOf('c', 'succeeded', { resultJson: JSON.stringify(result) }), by: 'iPad', atMs: 9 })
    return event.type === 'state' ? event.update.reply?.answers : null
  }
  const answer = (labels: string[], text = '') => [{ index: 0, labels, text }]
  expect(answersOf({ message: 'Blue', choice: 'Blue', index: 1 })).toEqual(answer(['Blue']))
  expect(answersOf({ message: 'Red\ndark', choice: 'Red', index: 0, other: 'dark' })).toEqual(answer(['Red'], 'dark'))
  expect(answersOf({ message: 'Green', other: 'Green', confirmed: false })).toEqual(answer([], 'Green'))
  expect(answersOf({ message: 'a\nc', choices: ['a', 'c'] })).toEqual(answer(['a', 'c']))
  expect(answersOf({ message: 'Nein', confirmed: false })).toEqual(answer(['Nein']))
  expect(answersOf({ message: 'Ada\nLovelace' })).toEqual(answer([], 'Ada\nLovelace'))
  expect(answersOf({ text: 1 })).toEqual([])
})
