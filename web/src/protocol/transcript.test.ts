import { describe, expect, test } from 'vitest'

import { EMPTY_ROOM, applyEvents } from './room'
import { anApproval, AGENT, aQuestion, aReply, aRequest, aText, options } from './testing'
import { historyOf, type TimelineItem } from './timeline'
import { dayMarkdown, entryJson, entryMarkdown, sourceOf, type TranscriptWords } from './transcript'
import type { ReplyFacts, RequestFacts } from './view'

const WORDS: TranscriptWords = {
  day: () => 'Monday',
  clock: () => '13:46',
  answer: (by) => `Answer (${by})`,
  outcome: ({ phase }) => (phase === 'answered' ? '' : phase),
  you: 'You',
  picture: 'Picture',
  file: 'File',
  secret: 'A secret, not shown',
}
const SECRETS = /files\/|token|hmac|base64|agent-1/i

function entry(request: Partial<RequestFacts> = {}, reply?: Partial<ReplyFacts>): TimelineItem {
  const facts = aRequest(request)
  const asked = applyEvents(EMPTY_ROOM, [{ type: 'request', seq: 1, request: facts }])
  const state = reply ? applyEvents(asked, [{ type: 'reply', seq: 2, request: facts, reply: aReply(reply) }]) : asked
  return historyOf(state, [])[0]!
}

describe('an entry as Markdown', () => {
  test('has the words as they were written, options, and the answer as a quotation', () => {
    const item = entry(
      { questions: [aQuestion({ text: 'Which?\n\n- `a`', options: options('One', 'Two\nlines') })] },
      { by: 'Pixel 8', text: 'ignored', answers: [{ index: 0, labels: ['One'], text: 'but\nlater' }] },
    )
    expect(entryMarkdown(item, AGENT, WORDS)).toBe(
      '### 13:46 · Claude Code · shop-api\n\nWhich?\n\n- `a`\n\n- One\n- Two lines\n\n' +
        '> **Answer (Pixel 8)**\n>\n> **One**\n>\n> but\n> later\n',
    )
    expect(sourceOf(item)).toBe('Which?\n\n- `a`')
  })

  test('numbers the questions of a form and says to which an answer belongs', () => {
    const item = entry(
      { text: 'Both', questions: [aQuestion({ text: 'A?', header: 'First' }), aQuestion({ text: 'B?' })] },
      { by: '', answers: [{ index: 1, labels: [], text: 'b' }] },
    )
    const markdown = entryMarkdown(item, AGENT, WORDS)
    expect(markdown).toContain('**1.** A?\n\n**2.** B?')
    expect(markdown).toContain('> 2.\n>\n> b')
    expect(sourceOf(item)).toBe('Both')
  })

  test('says how it ended, and fences a command that has fences itself', () => {
    const approval = anApproval({ command: 'echo ```' })
    expect(entryMarkdown(entry({ kind: 'approval', approval }), AGENT, WORDS)).toContain('````\necho ```\n````\n\n*pending*')
  })

  test('of a human names who wrote it', () => {
    const state = applyEvents(EMPTY_ROOM, [{ type: 'text', seq: 1, text: aText({ content: 'Stop', from: '' }) }])
    expect(entryMarkdown(historyOf(state, [])[0]!, AGENT, WORDS)).toBe('### 13:46 · You · shop-api\n\nStop\n')
    expect(dayMarkdown(0, WORDS)).toBe('## Monday\n')
  })
})

describe('what is exported', () => {
  const withFiles = entry(
    { pictures: [{ src: 'files/a.png?hmac=1', mime: 'image/png' }] },
    {
      text: 'See',
      pictures: [{ src: 'data:image/png;base64,AAAA', mime: 'image/png' }],
      files: [{ kind: 'file', name: 'log.txt', mime: 'text/plain', src: 'files/b?token=2' }],
    },
  )

  test('names pictures and files but opens none', () => {
    const markdown = entryMarkdown(withFiles, AGENT, WORDS)
    expect(markdown).toContain('[Picture: image/png]')
    expect(markdown).toContain('[File: log.txt]')
    expect(markdown).not.toMatch(SECRETS)
    expect(entryJson(withFiles, AGENT)).not.toMatch(SECRETS)
  })

  test('names what is attached to a text', () => {
    const text = aText({ content: 'See', pictures: [{ src: 'files/a', mime: 'image/png' }], files: [{ kind: 'file', name: 'log.txt', mime: 'text/plain', src: 'files/b' }] })
    const [item] = historyOf(applyEvents(EMPTY_ROOM, [{ type: 'text', seq: 1, text }]), [])
    expect(entryMarkdown(item!, AGENT, WORDS)).toContain('See\n\n[Picture: image/png]\n\n[File: log.txt]\n')
    expect(JSON.parse(entryJson(item!, AGENT))).toMatchObject({ pictures: ['image/png'], files: [{ name: 'log.txt', mime_type: 'text/plain' }] })
  })

  test('has nothing of what was typed hidden', () => {
    const secret = entry({ asked: { tool: 'input', field: 'secret', placeholder: '' } }, { text: 'hunter2', answers: [{ index: 0, labels: [], text: 'hunter2' }] })
    expect(entryMarkdown(secret, AGENT, WORDS)).not.toContain('hunter2')
    expect(entryJson(secret, AGENT)).not.toContain('hunter2')
    expect(entryMarkdown(secret, AGENT, WORDS)).toContain('> A secret, not shown')
    expect(JSON.parse(entryJson(secret, AGENT))).toMatchObject({ answer: { action: 'answer', secret: true } })
  })

  test('is one line of JSON with names of the wire', () => {
    expect(entryJson(withFiles, AGENT)).not.toContain('\n')
    expect(JSON.parse(entryJson(withFiles, AGENT))).toMatchObject({
      at: '1970-01-01T00:16:40.000Z',
      agent: { name: 'Claude Code', client: 'claude-code', model: 'opus', machine: 'macbook', project: 'shop-api' },
      type: 'question',
      state: 'answered',
      answer: { text: 'See', files: [{ name: 'log.txt', mime_type: 'text/plain' }] },
    })
  })
})
