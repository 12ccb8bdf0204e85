/** The part of the codec that is about settings of the room and who is writing. */
import type { WebsocketMessage } from '../proto/lineup/v1/websocket_pb'
import type { RelayEvent } from './events'

export const CARD_DECODERS: Readonly<Record<string, (message: WebsocketMessage) => RelayEvent | null>> = {
  Settings: ({ settings }) =>
    settings
      ? {
          type: 'shared',
          told: { kind: 'setting', key: settings.key, valueJson: settings.valueJson, revision: Number(settings.revision) },
        }
      : null,
  Typing: ({ typing }) =>
    typing ? { type: 'shared', told: { kind: 'typing', requestId: typing.requestId, nickname: typing.nickname } } : null,
}
