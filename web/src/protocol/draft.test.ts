import { describe, expect, test } from 'vitest'

import {
  clearLabels,
  confirmationOf,
  draftOf,
  draftText,
  EMPTY_DRAFT,
  gapsOf,
  isEmptyDraft,
  questionDraft,
  replyOf,
  toggleLabel,
  toggleOther,
  writeText,
} from './draft'
import { aQuestion, aRequest, options } from './testing'

const single = aQuestion({ options: options('Yes', 'No') })
const several = aQuestion({ options: options('a', 'b', 'c'), multiple: true })

describe('choosing', () => {
  test('one of several replaces the one before', () => {
    const draft = toggleLabel(toggleLabel(EMPTY_DRAFT, 0, single, 'Yes'), 0, single, 'No')
    expect(questionDraft(draft, 0).labels).toEqual(['No'])
    expect(isEmptyDraft(clearLabels(draft, 0))).toBe(true)
  })

  test('several keep the order of the question', () => {
    let draft = toggleLabel(EMPTY_DRAFT, 0, several, 'c')
    draft = toggleLabel(draft, 0, several, 'a')
    expect(questionDraft(draft, 0).labels).toEqual(['a', 'c'])
    expect(questionDraft(toggleLabel(draft, 0, several, 'c'), 0).labels).toEqual(['a'])
  })

  test('"Other" takes the place of an option where only one counts', () => {
    const draft = toggleOther(toggleLabel(EMPTY_DRAFT, 0, single, 'Yes'), 0, single)
    expect(questionDraft(draft, 0)).toMatchObject({ labels: [], other: true })
    expect(questionDraft(toggleLabel(draft, 0, single, 'Yes'), 0).other).toBe(false)
  })
})

test('an answer becomes the draft it was made from', () => {
  const form = aRequest({ questions: [aQuestion({ options: [{ label: 'A', description: '' }] }), aQuestion()] })
  const answers = [{ index: 0, labels: [], text: 'neither' }, { index: 1, labels: [], text: 'soon' }]
  expect(replyOf(form, draftOf(form, answers), 'correct').answers).toEqual(answers)
  const one = aRequest()
  expect(draftOf(one, [])).toEqual({ questions: [{ labels: [], text: '', other: false }] })
})

describe('a reply to one question', () => {
  const request = aRequest({ questions: [single] })

  test('is the chosen label, then the words', () => {
    const draft = writeText(toggleLabel(EMPTY_DRAFT, 0, single, 'Yes'), 0, ' but\r\nlater ')
    expect(replyOf(request, draft, 'answer')).toEqual({
      action: 'answer',
      answers: [{ index: 0, labels: ['Yes'], text: 'but\nlater' }],
      text: 'Yes\nbut\nlater',
      inputJson: '',
    })
    expect(draftText(draft)).toBe('Yes\nbut\nlater')
  })

  test('may be words only', () => {
    expect(replyOf(request, writeText(EMPTY_DRAFT, 0, 'Ask Ann'), 'done')).toEqual({
      action: 'done',
      answers: [{ index: 0, labels: [], text: 'Ask Ann' }],
      text: 'Ask Ann',
      inputJson: '',
    })
  })

  test('carries nothing when it dismisses', () => {
    const draft = writeText(EMPTY_DRAFT, 0, 'secret thought')
    expect(replyOf(request, draft, 'decline')).toEqual({ action: 'decline', answers: [], text: '', inputJson: '' })
  })
})

describe('a form', () => {
  const request = aRequest({
    questions: [
      aQuestion({ text: 'Format?', options: options('CSV', 'JSON') }),
      aQuestion({ text: 'Where?', options: options('S3'), custom: true }),
      aQuestion({ text: 'When?' }),
    ],
  })
  const [format, where] = request.questions

  test('holds every answer and names the gaps', () => {
    let draft = toggleLabel(EMPTY_DRAFT, 0, format!, 'CSV')
    draft = toggleOther(draft, 1, where!)
    draft = writeText(draft, 1, 'sftp')
    expect(gapsOf(request, draft)).toEqual([2])
    const reply = replyOf(request, draft, 'answer')
    expect(reply.text).toBe('Q: Format?\nA: CSV\n\nQ: Where?\nA: sftp\n\nQ: When?\nA: (not answered)')
    expect(reply.answers).toEqual([
      { index: 0, labels: ['CSV'], text: '' },
      { index: 1, labels: [], text: 'sftp' },
    ])
  })

  test('leaves out words whose field is closed', () => {
    const draft = toggleLabel(writeText(EMPTY_DRAFT, 1, 'sftp'), 1, where!, 'S3')
    expect(replyOf(request, draft, 'answer').answers).toEqual([{ index: 1, labels: ['S3'], text: '' }])
  })

  test('takes words where no "Other" is offered', () => {
    const closed = aRequest({ questions: [aQuestion({ options: options('x'), custom: false }), aQuestion()] })
    const draft = writeText(EMPTY_DRAFT, 0, 'neither')
    expect(replyOf(closed, draft, 'answer').answers).toEqual([{ index: 0, labels: [], text: 'neither' }])
  })
})

test('a report is confirmed in words, with a note beside it', () => {
  const report = aRequest({ kind: 'report', questions: [] })
  expect(confirmationOf(report, EMPTY_DRAFT).text).toBe('Confirmed')
  expect(confirmationOf(report, writeText(EMPTY_DRAFT, 0, 'nice')).text).toBe('Confirmed\nnice')
})

test('a ticked Other without words is a gap, whatever else is chosen', () => {
  const several = aQuestion({ options: options('A', 'B'), multiple: true })
  const request = aRequest({ questions: [several, several] })
  const chosen = toggleOther(toggleLabel(EMPTY_DRAFT, 0, several, 'A'), 0, several)
  expect(gapsOf(request, chosen)).toEqual([0, 1])
  expect(gapsOf(request, writeText(chosen, 0, 'words'))).toEqual([1])
})
