/** When and how a new card calls for the human. */
import type { AttentionSettings, Sound } from './attentionSettings'
import { plainLine } from './plainText'
import type { RequestKind, RequestView } from './view'

export interface Alert {
  readonly sound: boolean
  readonly vibration: boolean
  readonly notification: boolean
}

export interface Situation {
  /** This page is in front. */
  readonly isVisible: boolean
  /** The card itself can be seen. */
  readonly isCardShown: boolean
}

const SILENCE: Alert = { sound: false, vibration: false, notification: false }

/** Nothing while the card is looked at; a notification only while no page is. */
export function alertFor(settings: AttentionSettings, { isVisible, isCardShown }: Situation): Alert {
  if (settings.isQuiet || (isVisible && isCardShown)) return SILENCE
  return {
    sound: settings.sound !== 'off' && settings.volume > 0,
    vibration: settings.vibrates,
    notification: settings.notifies && !isVisible,
  }
}

const TUNES: Readonly<Record<RequestKind, readonly number[]>> = {
  question: [660, 880],
  report: [880],
  approval: [660, 660, 880],
}
const NOTE_S = 0.09
/** −18 dB. */
const FULL_GAIN = 0.126

interface Note {
  readonly hertz: number
  readonly startS: number
  readonly lengthS: number
  readonly gain: number
  readonly wave: 'sine' | 'triangle' | 'square'
}

/** How each sounds: an octave, a length and a wave; a square one is louder. */
const VOICES: Readonly<Record<Sound, { readonly octave: number; readonly lengthS: number; readonly gain: number; readonly wave: Note['wave'] }>> = {
  soft: { octave: 1, lengthS: NOTE_S, gain: 1, wave: 'sine' },
  clear: { octave: 2, lengthS: NOTE_S, gain: 0.9, wave: 'triangle' },
  wood: { octave: 0.5, lengthS: 0.04, gain: 0.5, wave: 'square' },
  off: { octave: 1, lengthS: NOTE_S, gain: 0, wave: 'sine' },
}

export function tuneOf(kind: RequestKind, { sound, volume }: Pick<AttentionSettings, 'sound' | 'volume'>): Note[] {
  const { octave, lengthS, gain, wave } = VOICES[sound]
  const loudness = (FULL_GAIN * gain * volume) / 100
  return TUNES[kind].map((hertz, index) => ({ hertz: hertz * octave, startS: index * NOTE_S, lengthS, gain: loudness, wave }))
}

export function vibrationOf(kind: RequestKind): number[] {
  return kind === 'approval' ? [80, 60, 80] : [40, 60, 40]
}

const BODY_CHARACTERS = 120

interface Words {
  readonly title: string
  readonly body: string
}

/** "Claude Code · shop-api" and the first words without markdown; `hidden` instead if they stay secret. */
export function noticeOf(request: RequestView, hidden: string): Words {
  const { name, project } = request.agent
  const text = request.approval?.command ?? (request.text || (request.questions[0]?.text ?? ''))
  const line = request.approval?.command ? text.replace(/\s+/g, ' ').trim() : plainLine(text)
  const characters = Array.from(line)
  const cut = characters.length > BODY_CHARACTERS ? `${characters.slice(0, BODY_CHARACTERS - 1).join('')}…` : line
  return hidden ? { title: 'LineUp', body: hidden } : { title: [name, project].filter(Boolean).join(' · '), body: cut }
}

const KEPT = 300

/** Adds an id to those that were alerted already; null if it is one of them. */
export function claimed(ids: readonly string[], id: string): readonly string[] | null {
  return ids.includes(id) ? null : [...ids, id].slice(-KEPT)
}

/** Why this page cannot notify; "" if it can or may ask. */
export function notifyObstacle(isSecure: boolean, permission: string): 'need_https' | 'blocked' | 'unsupported' | '' {
  if (!isSecure) return 'need_https'
  if (permission === '') return 'unsupported'
  return permission === 'denied' ? 'blocked' : ''
}
