import { watch } from 'vue'
import type { Router } from 'vue-router'

import type { Command } from '../protocol/commands'
import type { AckFacts, RoomEvent } from '../protocol/events'
import { randomId } from '../protocol/ids'
import { encodeToolList } from '../protocol/offerCodec'
import { encodeCallUpdate } from '../protocol/toolCodec'
import type { CallFacts, CallUpdate, RefusedTool } from '../protocol/tools'
import { deleteBlobs, readBlobs, writeBlob } from '../stores/blobs'
import { useCanvases } from '../stores/canvases'
import { useMiniApps } from '../stores/miniapps'
import { useOffer } from '../stores/offer'
import { useOpenTools } from '../stores/openTools'
import { CallDesk, type KeptCall, type Runner } from '../tools/desk'
import { PAGE_TOOLS, runPageTool } from '../tools/registry'
import { ToolError } from '../tools/result'

/** What the first load has anyway; passed in, so that the bundler need not cut it into pieces. */
export interface ToolSources {
  /** Names the room, so that nothing changes rooms. */
  readonly room: string
  readonly send: (bytes: Uint8Array) => boolean
  readonly ask: (command: Command) => Promise<AckFacts | null>
  readonly happened: (events: readonly RoomEvent[]) => void
  readonly nowMs: () => number
  readonly settings: { readonly locale: string; readonly theme: string }
  readonly router: Router
  /** Nobody is in the middle of something: the page may show what an agent opens. */
  readonly isIdle: () => boolean
}

/** The tools of this page at work. */
export interface ToolControl {
  readonly called: (call: CallFacts) => void
  readonly told: (update: CallUpdate) => void
  readonly heard: (ack: AckFacts) => boolean
  readonly online: () => void
  readonly announce: () => void
  readonly refused: (tools: readonly RefusedTool[]) => void
}

/** After so long without a touch nobody is at work on a tool. */
const QUIET_MS = 10_000

function isKept(value: unknown): value is KeptCall {
  return typeof value === 'object' && value !== null && 'call' in value && 'update' in value && 'ref' in value
}

/** Starts the tools of a room: announces them, runs what is called. */
export function startTools({ room, send, ask, happened, nowMs, settings, router, isIdle }: ToolSources): ToolControl {
  const [canvases, miniApps, open, offer] = [useCanvases(), useMiniApps(), useOpenTools(), useOffer()]
  const folder = `call.${room}.`
  miniApps.enter(room)
  const ready = canvases.open(room)
  void ready.then(() => {
    open.isReady = true
  })
  watch(
    [() => canvases.all, () => miniApps.open],
    () => {
      open.list = [
        ...[...canvases.all.values()].map(({ id, agentId, number, drawing }) => {
          const size = `${drawing.width} × ${drawing.height}`
          return { id, kind: 'canvas' as const, title: '', number, size, agentId }
        }),
        ...miniApps.open.map(({ app, agentId, phase }) => ({
          ...{ id: app.id, kind: 'miniapp' as const, title: app.title, number: 0, size: '', agentId },
          isStopped: phase === 'crashed',
        })),
      ]
    },
    { immediate: true },
  )

  let touchedMs = 0
  const touch = () => {
    touchedMs = Date.now()
  }
  for (const kind of ['pointerdown', 'pointerup', 'keydown']) document.addEventListener(kind, touch, { capture: true, passive: true })

  /** Nobody draws on the tool in front, or types into it. */
  const isToolIdle = () =>
    router.currentRoute.value.name === 'tool' && Date.now() - touchedMs > QUIET_MS && document.activeElement?.tagName !== 'IFRAME'

  /** Shows what an agent opened, unless somebody is busy here. */
  function show(id: string): void {
    if (isIdle() || isToolIdle()) void router.push(`/tool/${id}`)
  }

  const runMiniApp: Runner = async (call, running) => {
    if (miniApps.listed.length === 0) await miniApps.load()
    // It may be over by now; nothing need be opened for it.
    running.signal.throwIfAborted()
    const wasOpen = miniApps.running.has(call.applicationId)
    const app = miniApps.start(call.applicationId, call.agentId)
    if (!app) throw new ToolError('start_failed', `the relay has no MiniApp ${call.applicationId}`)
    if (!wasOpen) show(call.applicationId)
    return app.session.call(call, running)
  }

  const run: Runner = async (call, running) => {
    await ready
    if (call.applicationId) return runMiniApp(call, running)
    const result = await runPageTool(call, running)
    if (call.name === 'canvas' && call.action === 'open' && result.instanceId) show(result.instanceId)
    return result
  }

  const desk = new CallDesk({
    send: (update, ref) => void send(encodeCallUpdate({ ref, update })),
    load: async () => (await readBlobs(folder)).filter(isKept),
    keep: (kept) => writeBlob(folder + kept.call.callId, kept),
    drop: (callId) => void deleteBlobs(folder + callId),
    newRef: randomId,
    now: Date.now,
    run,
    said: (update) => {
      happened([{ type: 'callUpdate', seq: 0, update, by: '', atMs: nowMs() }])
    },
  })

  async function announce(): Promise<void> {
    await miniApps.load()
    await ask(encodeToolList(PAGE_TOOLS, miniApps.listed))
  }

  const prefersDark = matchMedia('(prefers-color-scheme: dark)')
  const look = () => {
    const isDark = settings.theme === 'dark' || (settings.theme === 'auto' && prefersDark.matches)
    miniApps.setLook({ locale: settings.locale, theme: isDark ? 'dark' : 'light' })
  }
  prefersDark.addEventListener('change', look)
  watch([() => settings.locale, () => settings.theme], look, { immediate: true })

  return {
    called: (call) => void desk.called(call),
    told: (update) => void desk.told(update),
    heard: ({ ref }) => desk.heard(ref),
    announce: () => void announce(),
    refused: (list) => {
      offer.refused = list
    },
    online: () => {
      void announce()
      void desk.online()
    },
  }
}
