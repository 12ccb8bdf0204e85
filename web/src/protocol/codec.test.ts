import { create, fromBinary, toBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'

import { ErrorCode } from '../proto/lineup/v1/error_pb'
import { OnTimeout, RequestState } from '../proto/lineup/v1/request_pb'
import { WebsocketMessageSchema } from '../proto/lineup/v1/websocket_pb'
import { decode, encodeGetHistory, encodeLogin, encodeReply } from './codec'
import { codeName } from './contentCodec'

function frame(message: MessageInitShape<typeof WebsocketMessageSchema>): Uint8Array {
  return toBinary(WebsocketMessageSchema, create(WebsocketMessageSchema, message))
}

function sent(bytes: Uint8Array) {
  return fromBinary(WebsocketMessageSchema, bytes)
}

describe('what comes in', () => {
  test('a question with its options, agent and pictures', () => {
    const event = decode(
      frame({
        Cmd: 'AskQuestion',
        seq: 7n,
        AskQuestionRequest: {
          ID: 'q1',
          Timestamp: 1234n,
          Request: {
            ProjectDirectory: 'C:\\work\\shop-api',
            McpClientName: 'claude-code',
            Question: 'Go?',
            Timeout: 60,
            onTimeout: OnTimeout.ABORT,
            agentId: 'a1',
            Questions: [{ question: 'Go?', options: [{ label: 'Yes', description: 'now' }], custom: true }],
            contents: [
              { type: 2, image: { type: 'image', data: 'QUJD', mimeType: 'image/png' } },
              { type: 4, embeddedResource: { uri: 'files/abc', mimeType: 'image/jpeg' } },
              { type: 4, embeddedResource: { uri: 'https://evil.example/x', mimeType: 'image/jpeg' } },
              { type: 2, image: { type: 'image', data: '"><x', mimeType: 'image/png' } },
            ],
          },
        },
      }),
    )
    expect(event).toMatchObject({
      type: 'request',
      seq: 7,
      request: {
        id: 'q1',
        kind: 'question',
        createdMs: 1234,
        timeoutSeconds: 60,
        abortsOnTimeout: true,
        agent: { id: 'a1', name: 'Claude Code', project: 'shop-api' },
        questions: [{ text: 'Go?', options: [{ label: 'Yes', description: 'now' }] }],
        pictures: [{ src: 'data:image/png;base64,QUJD' }, { src: 'files/abc' }],
      },
    })
    expect(event.type === 'request' && event.request.pictures).toHaveLength(2)
  })

  test('a plain question of an old bridge becomes one question without options', () => {
    const event = decode(
      frame({ Cmd: 'AskQuestion', AskQuestionRequest: { ID: 'q', Request: { Question: 'Why?' } } }),
    )
    expect(event).toMatchObject({ request: { questions: [{ text: 'Why?', options: [], custom: true }] } })
  })

  test('an answer of another device', () => {
    const event = decode(
      frame({
        Cmd: 'WorkReportReplyNotification',
        Nickname: 'iPad',
        seq: 9n,
        WorkReportRequest: { ID: 'w', Request: { Summary: 'Done.' } },
        WorkReportResponse: {
          ID: 'w',
          Meta: { action: 'done' },
          contents: [{ type: 1, text: { type: 'text', text: 'ok' } }],
        },
      }),
    )
    expect(event).toMatchObject({
      type: 'reply',
      seq: 9,
      request: { kind: 'report', text: 'Done.' },
      reply: { action: 'done', text: 'ok', by: 'iPad', mine: false },
    })
  })

  test('a page of history with its states, without what the page cannot show', () => {
    const event = decode(
      frame({
        Cmd: 'GetHistory',
        historyPage: {
          floorSeq: 1n,
          lastSeq: 30n,
          more: true,
          messages: [
            { Cmd: 'RequestState', seq: 3n, requestState: { requestId: 'q', state: RequestState.EXPIRED } },
            { Cmd: 'SomethingNew', seq: 4n },
          ],
        },
      }),
    )
    expect(event).toMatchObject({ type: 'history', newestSeq: 4, oldestSeq: 3, lastSeq: 30, more: true })
    expect(event.type === 'history' && event.events.map(({ type }) => type)).toEqual(['state'])
  })

  test('an ack with its code in words', () => {
    const event = decode(
      frame({ Cmd: 'Ack', seq: 4n, ack: { ref: 'r', accepted: true, code: ErrorCode.KEPT_LATE } }),
    )
    expect(event).toEqual({ type: 'ack', ref: 'r', accepted: true, code: 'kept_late', message: '', seq: 4 })
    const ofTheFuture = 999
    expect(codeName(ofTheFuture as never)).toBe('code_999')
  })

  test.each([
    ['garbage', new Uint8Array([255, 255, 255, 1])],
    ['a command of the future', frame({ Cmd: 'Teleport' })],
    ['a name every object has', frame({ Cmd: 'constructor' })],
    ['a command without its member', frame({ Cmd: 'AskQuestion' })],
  ])('%s is unknown, not an error', (_name, bytes) => {
    expect(decode(bytes).type).toBe('unknown')
  })
})

describe('what goes out', () => {
  test('the login with all that the relay wants to know', () => {
    const client = { deviceId: 'd', tabId: 't', version: '0.1.0', locale: 'en', visible: true }
    expect(sent(encodeLogin('token', 'Phone', client))).toMatchObject({
      Cmd: 'UserLogin',
      StrParam: 'token',
      Nickname: 'Phone',
      clientInfo: { ...client, platform: 'web' },
    })
  })

  test('a reply with its request, its answers and readable text', () => {
    const reply = {
      ref: 'ref',
      requestId: 'q1',
      agentId: 'a1',
      action: 'answer' as const,
      text: 'Yes\nsoon',
      answers: [{ index: 0, labels: ['Yes'], text: 'soon' }],
      inputJson: '',
  attachments: [],
    }
    expect(sent(encodeReply({ ...reply, isReport: false }))).toMatchObject({
      Cmd: 'AskQuestionReply',
      ref: 'ref',
      AskQuestionRequest: { ID: 'q1', Request: { agentId: 'a1' } },
      AskQuestionResponse: {
        ID: 'q1',
        Meta: { action: 'answer' },
        contents: [{ type: 1, text: { type: 'text', text: 'Yes\nsoon' } }],
        answers: [{ index: 0, labels: ['Yes'], text: 'soon' }],
      },
    })
    const edited = sent(encodeReply({ ...reply, isReport: false, inputJson: '{"command":"ls"}' }))
    expect(edited.AskQuestionResponse?.Meta).toEqual({ action: 'answer', input_json: '{"command":"ls"}' })
    const report = sent(encodeReply({ ...reply, isReport: true, text: '', answers: [] }))
    expect(report.Cmd).toBe('WorkReportReply')
    expect(report.WorkReportResponse?.contents).toEqual([])
  })

  test('a question about the log', () => {
    expect(sent(encodeGetHistory({ afterSeq: 5, limit: 200, ref: '' })).getHistory).toMatchObject({
      afterSeq: 5n,
      beforeSeq: 0n,
      limit: 200,
    })
  })
})
