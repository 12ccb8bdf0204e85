/** The samples that the relay's tests write (tests/golden/wire), read as the page reads them. */
import { equals, fromBinary, fromJsonString } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'

import { WebsocketMessageSchema } from '../proto/lineup/v1/websocket_pb'
import { decode } from './codec'

const JSON_FILES = import.meta.glob<string>('../../../tests/golden/wire/*.json', {
  query: '?raw',
  import: 'default',
  eager: true,
})
const BIN_FILES = import.meta.glob<string>('../../../tests/golden/wire/*.bin', {
  query: '?url&inline',
  import: 'default',
  eager: true,
})
const JSON_TEXTS = byName(JSON_FILES)
const DATA_URLS = byName(BIN_FILES)
const NAMES = [...DATA_URLS.keys()]
const TO_THE_PAGE = NAMES.filter((name) => name.startsWith('relay_'))
const UNDERSTOOD = [
  'UserLogin',
  'ServerInfo',
  'AskQuestion',
  'AskQuestionReplyNotification',
  'WorkReport',
  'WorkReportReplyNotification',
  'RequestState',
  'Text',
  'Ack',
  'GetHistory',
  'GetOnlineUsers',
  'UserConnectionStatusNotification',
  'Agents',
]

/** "…/relay_Ack.json" → "relay_Ack". */
function byName(files: Record<string, string>): Map<string, string> {
  const nameOf = (path: string) => path.replace(/^.*\//, '').replace(/\.\w+$/, '')
  return new Map(Object.entries(files).map(([path, content]) => [nameOf(path), content]))
}

function bytesOf(name: string): Uint8Array {
  const base64 = DATA_URLS.get(name)?.replace(/^data:.*?;base64,/, '') ?? ''
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}

describe('samples of the relay', () => {
  test('there are some', () => {
    expect(TO_THE_PAGE.length).toBeGreaterThan(20)
  })

  test.each(NAMES)('%s is the message that its JSON says', (name) => {
    const said = fromJsonString(WebsocketMessageSchema, JSON_TEXTS.get(name) ?? '')
    const read = fromBinary(WebsocketMessageSchema, bytesOf(name))

    expect(equals(WebsocketMessageSchema, read, said)).toBe(true)
  })

  test.each(UNDERSTOOD)('the page understands %s', (command) => {
    expect(decode(bytesOf(`relay_${command}`)).type).not.toBe('unknown')
  })

  test.each(TO_THE_PAGE)('%s does not upset the page', (name) => {
    expect(() => decode(bytesOf(name))).not.toThrow()
  })

  test('an answer is read with its words, pictures and author', () => {
    expect(decode(bytesOf('relay_AskQuestionReplyNotification'))).toMatchObject({
      type: 'reply',
      seq: 10,
      request: {
        id: 'q1',
        kind: 'question',
        timeoutSeconds: 600,
        questions: [
          { text: 'Which?', header: 'Colour', multiple: true, custom: true },
          { text: 'Why?', multiple: false, custom: false },
        ],
      },
      reply: { action: 'answer', text: '**yes** 好', by: 'Ann' },
    })
  })

  test('a call and what a human answered to it are read with the relay’s time', () => {
    expect(decode(bytesOf('relay_ToolCall'))).toMatchObject({ call: { atMs: 1_700_000_000_000, timeoutMs: 600_000 } })
    const answered = { phase: 'succeeded', resultJson: '{"message":"Blue","choice":"Blue","index":0}', received: false }
    expect(decode(bytesOf('relay_ToolCallUpdate-answered'))).toMatchObject({ by: 'Ann', atMs: 1_700_000_004_000, update: answered })
    expect(decode(bytesOf('relay_ToolCallUpdate-received'))).toMatchObject({ update: { phase: 'succeeded', resultJson: '', received: true } })
  })

  test('a moved deadline is read with who moved it', () => {
    expect(decode(bytesOf('relay_RequestState-moved'))).toMatchObject({
      type: 'state',
      seq: 13,
      update: { requestId: 'q1', phase: 'pending', by: 'Ann', deadlineMs: 1_700_000_900_000 },
    })
  })
})
