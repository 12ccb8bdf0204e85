/** The part of the codec that is about what the devices of a room share: settings, who is writing, one more device. */
import { PairingState } from '../proto/lineup/v1/client_pb'
import type { WebsocketMessage } from '../proto/lineup/v1/websocket_pb'
import type { RelayEvent } from './events'
import type { PairingFacts } from './pairing'

const PAIRING_STATES: Readonly<Record<number, PairingFacts['state']>> = {
  [PairingState.OFFERED]: 'offered',
  [PairingState.CLAIMED]: 'claimed',
  [PairingState.JOINED]: 'joined',
  [PairingState.REFUSED]: 'refused',
  [PairingState.EXPIRED]: 'expired',
}

export const CARD_DECODERS: Readonly<Record<string, (message: WebsocketMessage) => RelayEvent | null>> = {
  Settings: ({ settings }) =>
    settings
      ? {
          type: 'shared',
          told: { kind: 'setting', key: settings.key, valueJson: settings.valueJson, revision: Number(settings.revision) },
        }
      : null,
  Pairing: ({ pairing, ref }) => {
    const state = pairing && PAIRING_STATES[pairing.state]
    if (!state) return null
    const { code, expiresUnixMs, baseUrl, name } = pairing
    return { type: 'pairing', ref, pairing: { state, code, expiresMs: Number(expiresUnixMs), baseUrl, name } }
  },
  Typing: ({ typing }) =>
    typing ? { type: 'shared', told: { kind: 'typing', requestId: typing.requestId, nickname: typing.nickname } } : null,
}
