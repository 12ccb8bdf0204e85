import { describe, expect, test } from 'vitest'

import { agentFacts, hueOf, monogram, projectName } from './agent'
import { agentsOf } from './agents'
import { defaultNickname, isPhone } from './device'
import { clockTime, countdown, dayLabel } from './format'
import { randomId } from './ids'
import { plainLine } from './plainText'
import { headlineOf, isConfirmation, isLong, isLongForm, isPlainConfirmation } from './request'
import { applyEvents, EMPTY_ROOM } from './room'
import { AGENT, anEntry, aPresence, anUpdate, aQuestion, aReply, aRequest } from './testing'
import { timelineOf } from './timeline'

describe('agents', () => {
  test('have a name even if they give none', () => {
    const fields = { id: '', name: '', client: 'claude-code', directory: '/a/b', model: '', machine: '', machineName: '' }
    expect(agentFacts(fields).name).toBe('Claude Code')
    expect(agentFacts({ ...fields, client: '' }).name).toBe('Agent')
    expect(agentFacts({ ...fields, client: 'lineup-mcp' }).name).toBe('Command line')
  })

  test('have two letters and always the same hue', () => {
    expect(['Claude Code', 'hermes', 'x', '', '智能 体'].map(monogram)).toEqual(['CC', 'HE', 'X', '?', '智体'])
    expect(hueOf('Hermes')).toBe(hueOf('hermes'))
    expect(new Set(['Claude Code', 'Hermes', 'Codex', 'opencode'].map(hueOf)).size).toBe(4)
  })

  test('work in a project', () => {
    expect(['/home/me/shop-api', 'C:\\work\\shop\\', '/', ''].map(projectName)).toEqual(['shop-api', 'shop', '', ''])
  })

  test('that wait stand first, the longest wait on top', () => {
    const hermes = { ...AGENT, id: 'h', key: 'h', name: 'Hermes' }
    const codex = { ...AGENT, id: 'c', key: 'c', name: 'Codex' }
    const room = applyEvents(EMPTY_ROOM, [
      { type: 'request', seq: 1, request: aRequest({ id: 'a', createdMs: 9 }) },
      { type: 'request', seq: 2, request: aRequest({ id: 'b', createdMs: 5, agent: hermes }) },
      { type: 'reply', seq: 3, request: aRequest({ id: 'c', agent: codex }), reply: aReply() },
    ])
    const here = new Map([['c', aPresence({ id: 'c', agent: codex })]])
    const names = (outbox: Parameters<typeof agentsOf>[1]) =>
      agentsOf(room, outbox, here, 0).map(({ agent, activity }) => `${agent.name} ${activity}`)
    expect(names([])).toEqual(['Hermes waiting', 'Claude Code waiting', 'Codex working'])
    expect(names([anEntry({ requestId: 'b' })])).toEqual(['Claude Code waiting', 'Hermes queued', 'Codex working'])
    const gone = new Map([['c', aPresence({ id: 'c', agent: codex, attached: false, leftMs: 77 })]])
    expect(agentsOf(room, [], gone, 0).at(-1)).toMatchObject({ activity: 'gone', sinceMs: 77 })
    // The relay was away when it left.
    expect(agentsOf(room, [], new Map(), 0).at(-1)).toMatchObject({ activity: 'gone' })
  })
})

describe('the timeline', () => {
  const asked = { type: 'request' as const, seq: 1, request: aRequest() }
  const other = aRequest({ id: 'r2', createdMs: 1_060_000 })

  test('leaves out what waits, shows it when its answer is on its way', () => {
    const room = applyEvents(EMPTY_ROOM, [asked])
    expect(timelineOf(room, [])).toEqual([])
    expect(timelineOf(room, [anEntry({ state: 'held' })])).toEqual([])
    expect(timelineOf(room, [anEntry()])).toHaveLength(1)
  })

  test('repeats the header for another agent, after a quarter of an hour and on another day', () => {
    const hermes = { ...AGENT, key: 'h' }
    const requests = [
      aRequest(),
      other,
      aRequest({ id: 'r3', createdMs: 1_070_000, agent: hermes }),
      aRequest({ id: 'r4', createdMs: 2_070_000, agent: hermes }),
      aRequest({ id: 'r5', createdMs: 90_000_000, agent: hermes }),
    ]
    const room = applyEvents(
      EMPTY_ROOM,
      requests.map((request, index) => ({ type: 'reply', seq: index + 1, request, reply: aReply() })),
    )
    const items = timelineOf(room, [])
    expect(items.map(({ hasHeader }) => hasHeader)).toEqual([true, false, true, true, true])
    expect(items.map(({ startsDay }) => startsDay)).toEqual([true, false, false, false, true])
  })

  test('shows an expired card', () => {
    const expired = { type: 'state' as const, seq: 2, update: anUpdate({ phase: 'expired' }) }
    expect(timelineOf(applyEvents(EMPTY_ROOM, [asked, expired]), [])).toHaveLength(1)
  })
})

describe('words and numbers', () => {
  test('a countdown never goes below zero and rounds up', () => {
    expect(countdown(-5)).toEqual({ days: 0, hours: 0, minutes: 0, seconds: 0 })
    expect(countdown(522_000)).toEqual({ days: 0, hours: 0, minutes: 8, seconds: 42 })
    expect(countdown(183_600_001)).toEqual({ days: 2, hours: 3, minutes: 0, seconds: 1 })
  })

  test('days have names', () => {
    const now = new Date(2026, 10, 30, 12).getTime()
    const hours = 3_600_000
    expect(dayLabel(now - hours, now, 'en')).toBe('Today')
    expect(dayLabel(now - 20 * hours, now, 'zh-CN')).toBe('昨天')
    expect(dayLabel(now - 70 * hours, now, 'en')).toMatch(/Friday/)
    expect(clockTime(new Date(2026, 0, 1, 0, 5).getTime(), 'en')).toBe('00:05')
  })

  test('a headline is one plain line', () => {
    expect(plainLine('# **Go** with `x`?\n\n```js\ncode\n```\n- [a](https://b.c)')).toBe('Go with x? code a')
    expect(headlineOf(aRequest({ questions: [aQuestion({ text: '**Go?**' })] }))).toBe('Go?')
  })

  test('a long text of brackets costs no time', () => {
    const begun = performance.now()
    expect(plainLine('[a]('.repeat(25_000)).length).toBeLessThanOrEqual(2_000)
    expect(performance.now() - begun).toBeLessThan(500)
  })

  test('code and tables ask for more room', () => {
    const long = (text: string) => isLong(aRequest({ questions: [aQuestion({ text })] }))
    expect([long('short'), long('x'.repeat(701)), long('a\n```\nb'), long('| a | b |')]).toEqual([false, true, true, true])
  })

  test('a few short questions fit into a sheet, more or longer ones do not', () => {
    const form = (count: number, options: { label: string; description: string }[]) =>
      isLongForm(aRequest({ questions: Array.from({ length: count }, () => aQuestion({ options })) }))
    const short = { label: 'a', description: '' }
    expect([form(1, Array.from({ length: 9 }, () => short)), form(3, [short]), form(4, [short])]).toEqual([false, false, true])
    expect([form(2, Array.from({ length: 5 }, () => short)), form(2, [{ label: 'a', description: 'why' }])]).toEqual([true, true])
  })

  test('a confirmation needs no words', () => {
    const report = applyEvents(EMPTY_ROOM, [
      { type: 'request', seq: 1, request: aRequest({ kind: 'report', questions: [] }) },
    ]).requests.get('r1')!
    const plain = aReply({ answers: [], text: 'Confirmed' })
    const noted = aReply({ answers: [{ index: 0, labels: [], text: 'nice' }], text: 'Confirmed\nnice' })
    expect([isPlainConfirmation(report, plain), isPlainConfirmation(report, noted)]).toEqual([true, false])
    expect([isConfirmation(report, noted), isConfirmation(report, aReply({ text: 'No' }))]).toEqual([true, false])
  })

  test('browsers have a name', () => {
    const android = 'Mozilla/5.0 (Linux; Android 14; Pixel 8) Chrome/130 Mobile Safari/537.36'
    expect(defaultNickname('Mozilla/5.0 (X11; Linux x86_64) Chrome/130 Safari/537.36')).toBe('Chrome on Linux')
    expect(defaultNickname('Mozilla/5.0 (iPhone; CPU iPhone OS 18) Safari/604')).toBe('iPhone')
    expect([defaultNickname(android), isPhone(android), defaultNickname('?')]).toEqual(['Phone', true, 'Browser'])
  })

  test('ids are random and need no secure context', () => {
    expect(randomId()).toMatch(/^[a-z0-9]{32}$/)
    expect(randomId()).not.toBe(randomId())
  })
})
