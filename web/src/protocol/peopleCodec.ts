/** The part of the codec that is about agents, devices and what they say to each other. */
import { create, toBinary } from '@bufbuild/protobuf'

import { WebsocketMessageSchema, type WebsocketMessage } from '../proto/lineup/v1/websocket_pb'
import { agentFacts } from './agent'
import type { OutgoingAttachment } from './attachments'
import { contentOf, filesOf, picturesOf } from './contentCodec'
import type { RelayEvent } from './events'
import { base64Of, pictureOf } from './pictures'

export const PEOPLE_DECODERS: Readonly<Record<string, (message: WebsocketMessage) => RelayEvent | null>> = {
  Text: ({ text, seq }) =>
    text
      ? {
          type: 'text',
          seq: Number(seq),
          text: {
            id: text.messageId,
            content: text.content,
            pictures: picturesOf(text.contents),
            files: filesOf(text.contents),
            agentId: text.agentId,
            from: text.from,
            sentMs: Number(text.sentUnixMs),
            received: text.received,
            receivedMs: 0,
          },
        }
      : null,
  Image: ({ image, seq }) =>
    image
      ? {
          type: 'picture',
          seq: Number(seq),
          shown: {
            id: image.messageId,
            agentId: image.agentId,
            picture: pictureOf(image.mimeType, base64Of(image.data), image.url)[0] ?? null,
            url: /^https?:/i.test(image.url) ? image.url : '',
            alt: image.alt,
            caption: image.caption,
            atMs: 0,
          },
        }
      : null,
  Agents: ({ agents }) => ({
    type: 'agents',
    agents: agents.map((agent) => ({
      id: agent.agentId,
      agent: agentFacts({ ...agent, id: agent.agentId, directory: agent.projectDirectory }),
      attached: agent.attached,
      lastCallMs: Number(agent.lastCallUnixMs),
      leftMs: Number(agent.leftUnixMs),
      messagesWaiting: agent.messagesWaiting,
    })),
  }),
  Devices: ({ devices }) => ({
    type: 'devices',
    devices: devices.map(({ deviceId, clientId, nickname, online, lastSeenUnixMs }) => ({
      deviceId,
      clientId,
      nickname,
      online,
      lastSeenMs: Number(lastSeenUnixMs),
    })),
  }),
  ChatMessageNotification: ({ ChatMessageNotification: note }) =>
    note?.chatMessage
      ? {
          type: 'chat',
          chat: {
            id: note.chatMessage.messageId,
            clientId: note.chatMessage.senderClientId,
            nickname: note.chatMessage.senderNickname,
            content: note.chatMessage.content,
            // Seconds, as the frozen messages have it.
            sentMs: Number(note.chatMessage.sentAt) * 1000,
          },
        }
      : null,
}

/** Words for an agent and what is attached to them; agentId "": for all. */
export interface OutgoingText {
  readonly ref: string
  readonly agentId: string
  readonly content: string
  readonly attachments: readonly OutgoingAttachment[]
}

export function encodeText({ ref, agentId, content, attachments }: OutgoingText): Uint8Array {
  const text = { agentId, content, contents: attachments.map(contentOf) }
  return toBinary(WebsocketMessageSchema, create(WebsocketMessageSchema, { Cmd: 'Text', ref, text }))
}
