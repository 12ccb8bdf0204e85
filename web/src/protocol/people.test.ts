import { create, fromBinary, toBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'

import { WebsocketMessageSchema } from '../proto/lineup/v1/websocket_pb'
import { agentsOf } from './agents'
import { addLine, setState, type ChatLine } from './chat'
import { decode } from './codec'
import { sendChat } from './commands'
import type { RoomEvent } from './events'
import { encodeText } from './peopleCodec'
import { applyEvents, EMPTY_ROOM } from './room'
import { AGENT, anEntry, aPresence, aReply, aRequest, aText } from './testing'
import { timelineOf } from './timeline'

function frame(message: MessageInitShape<typeof WebsocketMessageSchema>): Uint8Array {
  return toBinary(WebsocketMessageSchema, create(WebsocketMessageSchema, message))
}

const written: RoomEvent = { type: 'text', seq: 4, text: aText() }
const taken: RoomEvent = { type: 'text', seq: 6, text: aText({ content: '', received: true, receivedMs: 9 }) }
const said: RoomEvent = { type: 'text', seq: 5, text: aText({ id: 't2', from: 'Hermes', received: true }) }

describe('what people and agents say', () => {
  test('comes in', () => {
    expect(decode(frame({ Cmd: 'Text', seq: 4n, text: { messageId: 't1', content: 'Hi', from: 'iPad', sentUnixMs: 7n } }))).toEqual({
      type: 'text',
      seq: 4,
      text: { id: 't1', content: 'Hi', pictures: [], files: [], agentId: '', from: 'iPad', sentMs: 7, received: false, receivedMs: 0 },
    })
    const chat = { messageId: 'm', senderClientId: 'c', senderNickname: 'Phone', content: 'x', sentAt: 5n }
    expect(decode(frame({ Cmd: 'ChatMessageNotification', ChatMessageNotification: { chatMessage: chat } }))).toEqual({
      type: 'chat',
      chat: { id: 'm', clientId: 'c', nickname: 'Phone', content: 'x', sentMs: 5000 },
    })
  })

  test('comes in with what is attached, of which only safe kinds and the relay\'s own links are shown', () => {
    const contents = [
      { type: 2, image: { data: 'AQID', mimeType: 'image/png' } },
      { type: 4, embeddedResource: { uri: 'files/room/1?type=a&sig=b', mimeType: 'image/png' } },
      { type: 4, embeddedResource: { uri: 'build.log', mimeType: 'text/html', data: new Uint8Array([1]) } },
      { type: 4, embeddedResource: { uri: 'javascript:alert(1)', mimeType: 'text/html' } },
      { type: 2, image: { data: 'AQID', mimeType: 'image/svg+xml' } },
    ]
    const event = decode(frame({ Cmd: 'Text', seq: 4n, text: { messageId: 't1', contents } }))
    expect(event).toMatchObject({
      text: {
        pictures: [{ src: 'data:image/png;base64,AQID' }, { src: 'files/room/1?type=a&sig=b' }],
        files: [{ kind: 'file', name: 'build.log', src: 'data:application/octet-stream;base64,AQ==' }],
      },
    })
  })

  test('is kept if an agent says it with a picture alone', () => {
    const picture = { src: 'files/a', mime: 'image/png' }
    const alone: RoomEvent = { type: 'text', seq: 5, text: aText({ id: 't3', content: '', pictures: [picture], received: true }) }
    expect(applyEvents(EMPTY_ROOM, [alone]).texts.get('t3')).toMatchObject({ pictures: [picture], byHuman: false })
  })

  test('goes out with a ref', () => {
    const attachments = [{ kind: 'image' as const, name: 'a.png', mime: 'image/png', bytes: new Uint8Array([1, 2, 3]) }]
    const text = fromBinary(WebsocketMessageSchema, encodeText({ ref: 'r', agentId: 'a', content: 'Hi', attachments }))
    const contents = [{ type: 2, image: { type: 'image', data: 'AQID', mimeType: 'image/png' } }]
    expect(text).toMatchObject({ Cmd: 'Text', ref: 'r', text: { agentId: 'a', content: 'Hi', contents } })
    const chat = fromBinary(WebsocketMessageSchema, sendChat('c', 'Hi')('r'))
    expect(chat).toMatchObject({ ref: 'r', SendChatMessageRequest: { receiverClientId: 'c', content: 'Hi' } })
  })

  test('a receipt keeps the words and says when; again it changes nothing', () => {
    const room = applyEvents(EMPTY_ROOM, [written, taken])
    expect(room.texts.get('t1')).toMatchObject({ content: 'Use the staging database', received: true, receivedMs: 9, byHuman: true })
    expect(applyEvents(room, [written, taken])).toBe(room)
    expect(applyEvents(EMPTY_ROOM, [taken]).texts.size).toBe(0)
  })

  test('an older page tells that a human wrote it', () => {
    const full: RoomEvent = { type: 'text', seq: 6, text: aText({ received: true }) }
    const room = applyEvents(applyEvents(EMPTY_ROOM, [full]), [written])
    expect(room.texts.get('t1')).toMatchObject({ byHuman: true, received: true })
  })

  test('is in the timeline, what is on its way too', () => {
    const entry = anEntry({ requestId: 'text:1', kind: 'text', text: 'Stop', createdMs: 9_000_000 })
    const items = timelineOf(applyEvents(EMPTY_ROOM, [written, said]), [entry])
    expect(items.map((item) => item.type === 'text' && [item.text.content, item.text.byHuman])).toEqual([
      ['Use the staging database', true],
      ['Use the staging database', false],
      ['Stop', true],
    ])
    expect(items[2]).toMatchObject({ sending: entry })
  })
})

test('the header comes again when the name or the agent changes', () => {
  const asked = (n: number, part: Partial<typeof AGENT>): RoomEvent => {
    const request = aRequest({ id: `r${n}`, createdMs: 1_000_000 + n, agent: { ...AGENT, ...part } })
    return { type: 'reply', seq: n, request, reply: aReply() }
  }
  const room = applyEvents(EMPTY_ROOM, [asked(1, {}), asked(2, {}), asked(3, { name: 'Bob' }), asked(4, { name: 'Bob', id: 'b' })])
  expect(timelineOf(room, []).map(({ hasHeader }) => hasHeader)).toEqual([true, false, true, true])
})

describe('a picture of an agent', () => {
  const image = { messageId: 'p1', url: 'files/abc.png', mimeType: 'image/png', alt: 'A chart', agentId: 'agent-1' }

  test('stands where its neighbours in the log do', () => {
    const shown = decode(frame({ Cmd: 'Image', seq: 8n, image })) as RoomEvent
    const asked: RoomEvent = { type: 'request', seq: 7, request: aRequest() }
    const room = applyEvents(EMPTY_ROOM, [asked, shown])
    expect(room.pictures.get('p1')).toMatchObject({ atMs: 1_000_001, picture: { src: 'files/abc.png' }, alt: 'A chart' })
    expect(applyEvents(room, [shown])).toBe(room)
    expect(applyEvents(EMPTY_ROOM, [shown, written]).pictures.get('p1')).toMatchObject({ atMs: 3_000_000 })
  })

  test('from elsewhere is not loaded', () => {
    const shown = decode(frame({ Cmd: 'Image', image: { ...image, url: 'https://evil.example/x.png' } }))
    expect(shown).toMatchObject({ shown: { picture: null, url: 'https://evil.example/x.png' } })
    const script = decode(frame({ Cmd: 'Image', image: { ...image, url: 'javascript:alert(1)' } }))
    expect(script).toMatchObject({ shown: { picture: null, url: '' } })
  })
})

describe('the list of agents', () => {
  const NOW = 10_000_000
  const agents = (...list: Parameters<typeof aPresence>[0][]) =>
    new Map(list.map((part) => aPresence(part)).map((one) => [one.id, one]))

  test('knows those that never asked', () => {
    const list = agentsOf(EMPTY_ROOM, [], agents({ lastCallMs: NOW }, { id: 'b', agent: { ...AGENT, id: 'b', key: 'b' } }), NOW)
    expect(list.map(({ activity }) => activity)).toEqual(['working', 'idle'])
  })

  test('numbers those that could not be told from each other, by their ids', () => {
    const twin = (id: string, directory = AGENT.directory) => ({ id, lastCallMs: NOW, agent: { ...AGENT, id, directory } })
    const list = agentsOf(EMPTY_ROOM, [], agents(twin('b'), twin('a'), twin('c', '/other')), NOW)
    expect(Object.fromEntries(list.map(({ key, label }) => [key, label]))).toEqual({ a: AGENT.name, b: `${AGENT.name} 2`, c: AGENT.name })
  })

  test('joins one that came back with what it was before', () => {
    const before = { id: 'old', agent: { ...AGENT, id: 'old' }, attached: false, leftMs: 5, messagesWaiting: 2 }
    const request = aRequest({ agent: { ...AGENT, id: 'old' } })
    const room = applyEvents(EMPTY_ROOM, [{ type: 'reply', seq: 1, request, reply: aReply() }])
    const list = agentsOf(room, [], agents({ lastCallMs: NOW }, before), NOW)
    expect(list).toMatchObject([{ agent: { id: 'agent-1' }, activity: 'working', messagesWaiting: 2 }])
  })

  test('says when one left and what waits for it', () => {
    const list = agentsOf(EMPTY_ROOM, [], agents({ attached: false, leftMs: 77, messagesWaiting: 1 }), NOW)
    expect(list).toMatchObject([{ activity: 'gone', sinceMs: 77, messagesWaiting: 1 }])
  })

  test('keeps agents of other names in one project apart, whether they are attached or not', () => {
    const request = (id: string, name: string) =>
      ({ type: 'request', seq: 1, request: aRequest({ id: `of-${id}`, agent: { ...AGENT, id, name } }) }) as const
    const room = applyEvents(EMPTY_ROOM, [request('a', 'Ada'), request('b', 'Bob')])
    expect(agentsOf(room, [], new Map(), NOW).map(({ agent }) => agent.name).sort()).toEqual(['Ada', 'Bob'])
  })

  test('shows one that is gone and still waits beside its successor', () => {
    const gone = { id: 'old', agent: { ...AGENT, id: 'old' }, attached: false, leftMs: 5 }
    const room = applyEvents(EMPTY_ROOM, [{ type: 'request', seq: 1, request: aRequest({ agent: { ...AGENT, id: 'old' } }) }])
    const list = agentsOf(room, [], agents({ lastCallMs: NOW }, gone), NOW)
    expect(list.map(({ agent, activity }) => [agent.id, activity])).toEqual([['old', 'waiting'], ['agent-1', 'working']])
  })

  test('joins sessions of one agent that are over', () => {
    const over = (id: string) => {
      const request = aRequest({ id: `of-${id}`, agent: { ...AGENT, id } })
      return { type: 'reply', seq: 1, request, reply: aReply() } as const
    }
    expect(agentsOf(applyEvents(EMPTY_ROOM, [over('a'), over('b')]), [], new Map(), NOW)).toHaveLength(1)
  })

  test('keeps two at work in one directory apart', () => {
    const two = agentsOf(EMPTY_ROOM, [], agents({}, { id: 'b', agent: { ...AGENT, id: 'b' } }), NOW)
    expect(two.map(({ agent }) => agent.id).sort()).toEqual(['agent-1', 'b'])
  })
})

describe('a chat', () => {
  const line: ChatLine = { id: '1', content: 'x', atMs: 1, mine: true, state: 'sending' }

  test('says nothing twice and marks what failed', () => {
    const lines = addLine(addLine([], line), line)
    expect(setState(lines, '1', 'failed')).toEqual([{ ...line, state: 'failed' }])
  })
})
