import { describe, expect, test } from 'vitest'

import { alertFor, claimed, noticeOf, notifyObstacle, tuneOf, vibrationOf } from './attention'
import { DEFAULT_ATTENTION } from './attentionSettings'
import { applyEvents, EMPTY_ROOM } from './room'
import { anApproval, aRequest } from './testing'

function opened(part: Parameters<typeof aRequest>[0]) {
  return applyEvents(EMPTY_ROOM, [{ type: 'request', seq: 1, request: aRequest(part) }]).requests.get('r1')!
}

const away = { isVisible: false, isCardShown: true }

describe('a new card calls', () => {
  test('not while it is looked at', () => {
    const silence = { sound: false, vibration: false, notification: false }
    expect(alertFor(DEFAULT_ATTENTION, { isVisible: true, isCardShown: true })).toEqual(silence)
    expect(alertFor({ ...DEFAULT_ATTENTION, isQuiet: true }, away)).toEqual(silence)
  })

  test('by a sound alone while the page is in front, by a notification while none is', () => {
    expect(alertFor(DEFAULT_ATTENTION, { isVisible: true, isCardShown: false })).toMatchObject({ sound: true, notification: false })
    expect(alertFor({ ...DEFAULT_ATTENTION, sound: 'off' }, away)).toEqual({ sound: false, vibration: true, notification: true })
  })

  test('with its own tune', () => {
    expect(tuneOf('question', { sound: 'soft', volume: 100 }).map(({ hertz }) => hertz)).toEqual([660, 880])
    expect(tuneOf('approval', { sound: 'soft', volume: 50 }).map(({ hertz }) => hertz)).toEqual([660, 660, 880])
    expect(tuneOf('report', { sound: 'soft', volume: 50 })[0]?.gain).toBeCloseTo(0.063)
    expect(tuneOf('report', { sound: 'clear', volume: 50 })[0]).toMatchObject({ hertz: 1760, wave: 'triangle' })
    expect(tuneOf('question', { sound: 'off', volume: 100 }).map(({ gain }) => gain)).toEqual([0, 0])
    expect(vibrationOf('approval')).toEqual([80, 60, 80])
  })

  test('once', () => {
    expect(claimed(['a'], 'b')).toEqual(['a', 'b'])
    expect(claimed(['a'], 'a')).toBeNull()
  })
})

describe('a notification', () => {
  test('says who asks what, without marks and not all of it', () => {
    expect(noticeOf(opened({ text: '**Which** `one`?' }), '')).toEqual({ title: 'Claude Code · shop-api', body: 'Which one?' })
    const long = noticeOf(opened({ text: 'x'.repeat(300) }), '').body
    expect([long.length, long.endsWith('…')]).toEqual([120, true])
  })

  test('shows a command as it is', () => {
    const approval = anApproval({ command: 'rm *_old\n' })
    expect(noticeOf(opened({ kind: 'approval', approval }), '').body).toBe('rm *_old')
  })

  test('can keep it to itself', () => {
    expect(noticeOf(opened({}), 'A question waits for you')).toEqual({ title: 'LineUp', body: 'A question waits for you' })
  })

  test('says why there is none', () => {
    expect(notifyObstacle(false, 'default')).toBe('need_https')
    expect(notifyObstacle(true, '')).toBe('unsupported')
    expect([notifyObstacle(true, 'denied'), notifyObstacle(true, 'granted')]).toEqual(['blocked', ''])
  })
})
