import { describe, expect, test } from 'vitest'

import { decisionReply, editableText, editedInput, editOf, writeInput } from './approval'
import { EMPTY_DRAFT, isEmptyDraft, writeText } from './draft'
import { anApproval } from './testing'

const bash = anApproval({ command: 'git push --force', inputJson: '{"cmd":"git push --force","timeout":5}', canEdit: true })

describe('editing', () => {
  test('changes the command inside the input and nothing else', () => {
    expect(editedInput(bash, 'git push')).toBe('{"cmd":"git push","timeout":5}')
  })

  test('without a command the input itself is edited, and must stay JSON', () => {
    const other = anApproval({ command: '', inputJson: '{"path":"a"}', canEdit: true })
    expect(editableText(other)).toBe('{\n  "path": "a"\n}')
    expect(editedInput(other, '{"path":"b"}')).toBe('{"path":"b"}')
    expect(editedInput(other, '{"path":')).toBeNull()
  })

  test('the same text, or no permission to edit, is no edit', () => {
    expect(editOf(bash, writeInput(EMPTY_DRAFT, 'git push --force'))).toBeNull()
    expect(editOf({ ...bash, canEdit: false }, writeInput(EMPTY_DRAFT, 'git push'))).toBeNull()
    expect(editOf(bash, writeInput(EMPTY_DRAFT, 'git push'))).toBe('git push')
  })

  test('survives typing a note, and counts as a draft', () => {
    const draft = writeText(writeInput(EMPTY_DRAFT, 'git push'), 0, 'no force')
    expect(editOf(bash, draft)).toBe('git push')
    expect(isEmptyDraft(writeInput(EMPTY_DRAFT, 'git push'))).toBe(false)
    expect(isEmptyDraft(writeInput(writeInput(EMPTY_DRAFT, 'git push'), undefined))).toBe(true)
  })
})

describe('decisionReply', () => {
  const draft = writeText(writeInput(EMPTY_DRAFT, 'git push'), 0, ' use a branch ')

  test('a denial carries the note, never the edit', () => {
    expect(decisionReply(bash, draft, 'deny')).toEqual({
      action: 'answer',
      answers: [{ index: 0, labels: ['deny'], text: 'use a branch' }],
      text: 'deny\nuse a branch',
      inputJson: '',
    })
  })

  test('an allowance carries the edited input', () => {
    expect(decisionReply(bash, draft, 'allow_once').inputJson).toBe('{"cmd":"git push","timeout":5}')
    expect(decisionReply(bash, EMPTY_DRAFT, 'allow_session')).toMatchObject({ text: 'allow_session', inputJson: '' })
  })
})
