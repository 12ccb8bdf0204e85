import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'

import { FrameSession, type FrameLook, type FramePhase } from '../miniapps/frame'
import { checkNeighbours, endSilent } from '../miniapps/neighbours'
import { randomId } from '../protocol/ids'
import { parseMiniApps, parseRefused, type MiniApp, type RefusedMiniApp } from '../protocol/miniapps'
import { deleteBlobs, readBlobs, writeBlob } from './blobs'
import { readTabText, writeTabText } from './storage'

/** A MiniApp that has a frame on this page. */
interface OpenMiniApp {
  readonly app: MiniApp
  readonly session: FrameSession
  readonly phase: FramePhase
  /** Who opened it; "" for the human. */
  readonly agentId: string
  /** Another number is another frame. */
  readonly load: number
}

const NO_POST = () => undefined

function keptOpen(json: string): (readonly [string, string])[] {
  try {
    const kept: unknown = JSON.parse(json || '[]')
    if (!Array.isArray(kept)) return []
    return kept.flatMap((one: unknown) => (Array.isArray(one) ? [[String(one[0]), String(one[1])] as const] : []))
  } catch {
    return []
  }
}

/** The MiniApps that the relay has, and those that are open here. */
export const useMiniApps = defineStore('miniapps', () => {
  const listed = shallowRef<readonly MiniApp[]>([])
  const refused = shallowRef<readonly RefusedMiniApp[]>([])
  const running = shallowRef<ReadonlyMap<string, OpenMiniApp>>(new Map())
  const look = ref<FrameLook>({ locale: 'en', theme: 'light' })
  const posts = new Map<string, (text: string) => void>()
  let folder = ''
  /** What was open before the tab was loaded anew. */
  let reopen: readonly (readonly [string, string])[] = []

  const open = computed(() => [...running.value.values()])

  function enter(room: string): void {
    folder = `miniapp.${room}.`
    reopen = keptOpen(readTabText(`${folder}open`))
    for (const id of [...running.value.keys()]) close(id)
    listed.value = []
    refused.value = []
  }

  /** What is open comes back when the tab is loaded anew. */
  function keepOpen(): void {
    writeTabText(`${folder}open`, JSON.stringify(open.value.map(({ app, agentId }) => [app.id, agentId])))
  }

  /** Reads the relay's list; without an answer what is known stays. */
  async function load(): Promise<void> {
    try {
      const response = await fetch('miniapps/', { headers: { accept: 'application/json' } })
      if (!response.ok) return
      const told: unknown = await response.json()
      listed.value = parseMiniApps(told)
      refused.value = parseRefused(told)
      for (const [id, agentId] of reopen) start(id, agentId)
      reopen = []
    } catch {
      // The next login asks again.
    }
  }

  const sessions = () => open.value.map(({ session }) => session)

  function change(id: string, part: Partial<OpenMiniApp>): void {
    const before = running.value.get(id)
    if (before) running.value = new Map(running.value).set(id, { ...before, ...part })
  }

  /** Gives a MiniApp its frame, if it has none; undefined if the relay does not list it. */
  function start(id: string, agentId = ''): OpenMiniApp | undefined {
    const app = listed.value.find((one) => one.id === id)
    if (!app || running.value.has(id)) return running.value.get(id)
    let phase: FramePhase = 'starting'
    const session: FrameSession = new FrameSession({
      post: (text) => {
        const post = posts.get(id) ?? NO_POST
        post(text)
      },
      newId: randomId,
      now: Date.now,
      look: () => look.value,
      state: async () => {
        const [kept] = await readBlobs(`${folder}${id}.`)
        return typeof kept === 'string' ? kept : ''
      },
      keep: (json) => void (json ? writeBlob(`${folder}${id}.`, json) : deleteBlobs(`${folder}${id}.`)),
      changed: (now) => {
        phase = now
        change(id, { phase })
        if (phase === 'crashed') checkNeighbours(sessions, Date.now)
      },
      reload: () => {
        reload(id)
      },
      silent: () => {
        endSilent(session, sessions())
      },
    })
    const one = { app, session, phase, agentId, load: 1 }
    running.value = new Map(running.value).set(id, one)
    keepOpen()
    return one
  }

  function reload(id: string): void {
    change(id, { load: (running.value.get(id)?.load ?? 0) + 1 })
  }

  function restart(id: string): void {
    reload(id)
    running.value.get(id)?.session.restarted()
  }

  function close(id: string): void {
    const rest = new Map(running.value)
    const one = rest.get(id)
    if (!one) return
    rest.delete(id)
    running.value = rest
    keepOpen()
    posts.delete(id)
    one.session.closed()
  }

  /** The frame of a MiniApp is there; what is for it goes through `post`. */
  function attach(id: string, post: (text: string) => void): void {
    posts.set(id, post)
  }

  function setLook(next: FrameLook): void {
    look.value = next
    for (const { session } of open.value) session.lookChanged()
  }

  return { listed, refused, open, running, enter, load, start, restart, close, attach, setLook }
})
