import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, test, vi } from 'vitest'

import { EMPTY_DRAFT, replyOf, writeText } from '../protocol/draft'
import { aRequest } from '../protocol/testing'
import type { Drawing } from '../tools/canvas/actions'
import { useCanvases } from './canvases'
import { useMiniApps } from './miniapps'
import { useOffer } from './offer'
import { useOutbox } from './outbox'
import { useSession } from './session'

const DRAWING: Drawing = { width: 20, height: 20, strokes: [] }
const APP = { id: 'pomodoro', version: '1', title: 'Pomodoro', entry: 'index.html', tools: [] }

function listing(...miniapps: object[]) {
  vi.stubGlobal('fetch', vi.fn(() => Promise.resolve(new Response(JSON.stringify({ miniapps })))))
}

/** Everything that this browser keeps, but for IndexedDB, which jsdom has not. */
function keptTexts(): string {
  return JSON.stringify([localStorage, sessionStorage].map((storage) => Object.entries(storage)))
}

beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  setActivePinia(createPinia())
})

describe('canvases', () => {
  test('are opened, changed and closed', () => {
    const canvases = useCanvases()
    canvases.put({ id: 'a', agentId: '', openedMs: 1, number: 1, drawing: DRAWING })
    canvases.change('a', (drawing) => ({ ...drawing, width: 30 }))
    canvases.change('gone', () => DRAWING)
    expect(canvases.all.get('a')?.drawing.width).toBe(30)
    canvases.close('a')
    canvases.close('a')
    expect(canvases.all.size).toBe(0)
  })
})

describe('MiniApps', () => {
  test('are those that the relay lists, and open once', async () => {
    listing(APP, { id: '../evil' })
    const miniApps = useMiniApps()
    miniApps.enter('room')
    await miniApps.load()
    expect(miniApps.listed.map(({ id }) => id)).toEqual(['pomodoro'])
    expect(miniApps.start('unknown')).toBeUndefined()
    const one = miniApps.start('pomodoro', 'agent-1')
    expect(one).toMatchObject({ phase: 'starting', agentId: 'agent-1', load: 1 })
    expect(miniApps.start('pomodoro')?.session).toBe(one?.session)
    miniApps.restart('pomodoro')
    expect(miniApps.running.get('pomodoro')?.load).toBe(2)
    miniApps.close('pomodoro')
    expect(miniApps.open).toEqual([])
  })

  test('that the relay leaves out are told with the reason', async () => {
    const refused = [
      { folder: 'broken', id: '', faults: ['manifest.json:1:2: is not JSON', 7], more: 3 },
      { folder: 'bare', faults: [] },
      { folder: 1 },
      null,
    ]
    vi.stubGlobal('fetch', vi.fn(() => Promise.resolve(new Response(JSON.stringify({ miniapps: [APP], refused })))))
    const miniApps = useMiniApps()
    miniApps.enter('room')
    await miniApps.load()
    expect(miniApps.refused).toEqual([
      { folder: 'broken', id: '', faults: ['manifest.json:1:2: is not JSON'], more: 3 },
      { folder: 'bare', id: '', faults: [], more: 0 },
    ])
    listing(APP)
    await miniApps.load()
    expect(miniApps.refused).toEqual([])
  })

  test('come back when the tab is loaded anew, but not in another room', async () => {
    listing(APP)
    const before = useMiniApps()
    before.enter('room')
    await before.load()
    before.start('pomodoro', 'agent-1')
    setActivePinia(createPinia())
    const after = useMiniApps()
    after.enter('room')
    await after.load()
    expect(after.open).toMatchObject([{ agentId: 'agent-1' }])
    after.enter('other')
    await after.load()
    expect(after.open).toEqual([])
  })

  test('stay as they were while the relay gives no list', async () => {
    listing(APP)
    const miniApps = useMiniApps()
    miniApps.enter('room')
    await miniApps.load()
    vi.stubGlobal('fetch', vi.fn(() => Promise.resolve(new Response('', { status: 404 }))))
    await miniApps.load()
    vi.stubGlobal('fetch', vi.fn(() => Promise.reject(new TypeError('offline'))))
    await miniApps.load()
    expect(miniApps.listed).toHaveLength(1)
  })

  test('speak through their frame and hear of another look', async () => {
    listing(APP)
    const miniApps = useMiniApps()
    miniApps.enter('room')
    await miniApps.load()
    const posted: string[] = []
    const one = miniApps.start('pomodoro')
    miniApps.attach('pomodoro', (text) => void posted.push(text))
    one?.session.heard('{"v":1,"id":"1","type":"system.hello","payload":{}}')
    expect(miniApps.running.get('pomodoro')?.phase).toBe('started')
    miniApps.setLook({ locale: 'zh-CN', theme: 'dark' })
    expect(posted.at(-1)).toContain('"theme":"dark"')
  })
})

test('a tab that is loaded anew is the same tab', () => {
  const { tabId } = useSession()
  setActivePinia(createPinia())
  const session = useSession()
  expect(session.tabId).toBe(tabId)
  session.renewTab()
  expect(session.tabId).not.toBe(tabId)
})

test('a secret on its way is nowhere in the browser', () => {
  const outbox = useOutbox()
  outbox.open('room')
  const request = aRequest({ asked: { tool: 'input', field: 'secret', placeholder: '' } })
  outbox.put(request, replyOf(request, writeText(EMPTY_DRAFT, 0, ' hunter2'), 'answer'), 0)
  expect(outbox.entries).toMatchObject([{ kind: 'call', isSecret: true, resultJson: '{"message":" hunter2"}' }])
  expect(keptTexts()).not.toContain('hunter2')
  const plain = aRequest({ id: 'r2', asked: { tool: 'input', field: 'line', placeholder: '' } })
  outbox.put(plain, replyOf(plain, writeText(EMPTY_DRAFT, 0, 'main'), 'answer'), 0)
  expect(keptTexts()).toContain('main')
})

test('a tool that the room does not offer says why', () => {
  const offer = useOffer()
  offer.refused = [
    { name: 'canvas', applicationId: '', message: 'another device offers another canvas' },
    { name: 'timer', applicationId: 'pomodoro', message: 'its schema is none' },
  ]
  expect(offer.problemOf('canvas', '')).toContain('another device')
  expect(offer.problemOf('', 'pomodoro')).toContain('schema')
  expect(offer.problemOf('choice', '')).toBe('')
})
