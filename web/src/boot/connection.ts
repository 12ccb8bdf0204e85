import { watch } from 'vue'
import type { Router } from 'vue-router'

import type { ConnectionControl } from '../composables/useConnection'
import { Session, type SessionSink } from '../connection/session'
import { openWebSocket, socketUrl } from '../connection/socket'
import { listenForWake } from '../connection/wake'
import { i18n } from '../i18n'
import { outgoingOf, type OutgoingAttachment } from '../protocol/attachments'
import type { OutgoingReply } from '../protocol/codec'
import { typing } from '../protocol/commands'
import type { AckFacts, RoomEvent } from '../protocol/events'
import { randomId } from '../protocol/ids'
import { nextDueMs, type OutboxEntry } from '../protocol/outbox'
import type { OutgoingText } from '../protocol/peopleCodec'
import type { OutgoingUpdate } from '../protocol/toolCodec'
import { useAgents } from '../stores/agents'
import { useAttachments } from '../stores/attachments'
import { deleteBlobs } from '../stores/blobs'
import { useChats } from '../stores/chats'
import { useClock } from '../stores/clock'
import { useDevices } from '../stores/devices'
import { useDock } from '../stores/dock'
import { useDrafts } from '../stores/drafts'
import { useOutbox } from '../stores/outbox'
import { usePairing } from '../stores/pairing'
import { useRoom } from '../stores/room'
import { useSession } from '../stores/session'
import { useSettings } from '../stores/settings'
import { useShared } from '../stores/shared'
import { forgetEverything, roomKey } from '../stores/storage'
import { useUploads } from '../stores/uploads'
import { outcomeOf } from '../tools/asked'
import { withQuestions } from './askedCalls'
import { Commands } from './commands'
import { LazyTools } from './lazyTools'
import { ownReply, stamped } from './ownReply'

const TYPING_EVERY_MS = 3_000

/** At most once in a while. */
function throttled(tell: (requestId: string) => void): (requestId: string) => void {
  let lastMs = 0
  return (requestId) => {
    if (Date.now() - lastMs < TYPING_EVERY_MS) return
    lastMs = Date.now()
    tell(requestId)
  }
}

/** Why a reply came back; a change of an answer that the agent has by now is no lost race. */
function problemOf({ action, code, message }: OutboxEntry): { code: string; message: string } {
  return { code: action === 'correct' && code === 'already_answered' ? 'not_corrected' : code, message }
}

/** Connects the session with the stores, and starts it if there is a token. */
export function startConnection(router: Router): ConnectionControl {
  const [settings, state, room, outbox] = [useSettings(), useSession(), useRoom(), useOutbox()]
  const [drafts, devices, agents, clock] = [useDrafts(), useDevices(), useAgents(), useClock()]
  const [dock, chats] = [useDock(), useChats()]
  const attachments = useAttachments()
  const shared = useShared()
  const [pairing, uploads] = [usePairing(), useUploads()]

  const attachedTo = (entry: OutboxEntry): OutgoingAttachment[] =>
    attachments.of(entry.requestId).filter(({ id }) => entry.attachments.includes(id)).map(outgoingOf)
  const outgoing = (entry: OutboxEntry): OutgoingReply | OutgoingText | OutgoingUpdate => {
    const { ref, kind, agentId, text } = entry
    if (kind === 'text') return { ref, agentId, content: text, attachments: attachedTo(entry) }
    if (kind === 'call') return { ref, update: outcomeOf(entry, attachedTo(entry)) }
    return { ...entry, isReport: kind === 'report', attachments: attachedTo(entry) }
  }

  const questionsIn = (events: readonly RoomEvent[]) => {
    const words = { yes: i18n.global.t('asked.yes'), no: i18n.global.t('asked.no') }
    return withQuestions(events, { agents: agents.facts, calls: room.state.calls, words })
  }
  const isIdle = () =>
    router.currentRoute.value.name === 'timeline' && !dock.card && !document.activeElement?.matches('textarea, input')
  const tools = new LazyTools(async () => {
    const { startTools } = await import('./tools')
    return startTools({
      room: roomKey(state.token),
      send: (bytes) => session.send(bytes),
      ask: (command) => commands.ask(command),
      happened: room.apply,
      nowMs: () => clock.relayNowMs,
      ...{ settings, router, isIdle },
    })
  })
  const happened = (event: RoomEvent) => {
    const events = questionsIn([stamped(event, clock.relayNowMs)])
    room.apply(events)
    for (const one of events) {
      if (one.type === 'call') tools.with(({ called }) => { called(one.call) })
    }
    if (event.type === 'callUpdate') tools.with(({ told }) => { told(event.update) })
  }

  const acknowledged = (ack: AckFacts) => {
    uploads.done(ack.ref)
    if (commands.heard(ack) || tools.ask(({ heard }) => heard(ack), false)) return
    // The result of a call that was withdrawn is kept and given to nobody: for a human it did not go out.
    const heard = { ...ack, accepted: ack.accepted && ack.code !== 'cancelled' }
    const entry = outbox.acknowledged(heard)
    if (!entry) return
    const request = room.request(entry.requestId)
    if (heard.accepted) {
      if (request) room.apply(ownReply(request, entry, ack, attachedTo(entry), settings.nickname, clock.relayNowMs))
      // Words beside a dismissal were not sent; they stay where they can be copied.
      if (entry.action !== 'decline') {
        drafts.clear(entry.requestId)
        attachments.clear(entry.requestId)
      }
      drafts.setProblem(entry.requestId, null)
    } else if (entry.state === 'refused' && entry.kind !== 'text') {
      // What was typed is still in the draft of the card; it goes back there.
      outbox.drop(entry.ref)
      drafts.setProblem(entry.requestId, problemOf(entry))
    }
  }

  const sink: SessionSink = {
    identity: () => ({
      token: state.token,
      nickname: settings.nickname,
      client: {
        deviceId: state.deviceId,
        tabId: state.tabId,
        version: __APP_VERSION__,
        locale: settings.locale,
        visible: document.visibilityState === 'visible',
      },
    }),
    connecting: state.connecting,
    online: state.online,
    offline: (retryInMs) => {
      outbox.connectionLost()
      commands.connectionLost()
      devices.disconnected()
      pairing.tell(null)
      uploads.stop()
      state.offline(retryInMs)
    },
    signedOut: state.signOut,
    renewTab: state.renewTab,
    server: (server) => {
      state.relayVersion = server.version
      state.limits = server.limits
      clock.setRelayClock(server.clockMs)
      tools.with(({ online }) => { online() })
    },
    events: (events) => {
      room.apply(questionsIn(events))
      // A call that runs here may have ended while there was no connection.
      const updates = events.flatMap((event) => (event.type === 'callUpdate' ? [event.update] : []))
      if (updates.length > 0) tools.with(({ told }) => { updates.forEach(told) })
    },
    happened,
    refusedTools: (list) => {
      tools.with(({ refused }) => { refused(list) })
    },
    announce: () => {
      tools.with(({ announce }) => { announce() })
    },
    reset: room.reset,
    syncing: room.syncing,
    synced: () => {
      room.synced((id) => outbox.find(id) !== undefined)
    },
    earlier: (earlier) => {
      room.earlier = earlier
    },
    users: devices.setAll,
    presence: devices.setPresence,
    agents: (list) => {
      agents.setPresence(list)
      room.nameAgents(new Map(list.map(({ id, agent }) => [id, agent])))
    },
    devices: (list) => {
      devices.setListed(list)
      settings.tellApart(state.deviceId, devices.all)
    },
    chat: chats.received,
    takeDue: () => outbox.takeDue((entry) => entry.attachments.length === 0 || attachments.isLoaded).map(outgoing),
    given: (ref, bytes) => {
      uploads.start({ ref, bytes }, () => session.buffered())
    },
    acknowledged,
    shared: shared.told,
    pairing: (told, ref) => {
      pairing.tell(told)
      commands.heard({ type: 'ack', ref, accepted: true, code: '', message: '', seq: 0 })
    },
  }

  const session = new Session(sink, {
    openSocket: () => openWebSocket(socketUrl(location.href)),
    random: Math.random,
    now: Date.now,
    newRef: randomId,
  })

  const commands = new Commands((bytes) => session.send(bytes))

  const enter = () => {
    const key = roomKey(state.token)
    outbox.open(key)
    shared.reset()
    tools.reset()
    drafts.open(key)
    void attachments.open(key).then(() => {
      for (const entry of outbox.entries.filter((one) => attachedTo(one).length < one.attachments.length)) {
        const lost = { code: 'attachments_lost', message: '' }
        if (entry.kind === 'text') {
          // Its words are nowhere else.
          outbox.acknowledged({ ...lost, type: 'ack', ref: entry.ref, accepted: false, seq: 0 })
          continue
        }
        outbox.drop(entry.ref)
        drafts.setProblem(entry.requestId, lost)
      }
      session.flush()
    })
    session.start()
  }

  let timer: ReturnType<typeof setTimeout> | undefined
  watch(
    () => outbox.entries,
    (entries) => {
      clearTimeout(timer)
      session.flush()
      const next = nextDueMs(entries, Date.now())
      if (next !== null) timer = setTimeout(flushHeld, next - Date.now())
    },
  )
  // A held answer whose time is over goes out, or waits visibly as not sent.
  const flushHeld = () => {
    outbox.releaseDue()
    session.flush()
  }

  watch([() => dock.mayStay, () => dock.next.length], dock.settle, { immediate: true, flush: 'sync' })
  watch(
    () => settings.nickname,
    () => {
      session.rename()
    },
  )
  setInterval(clock.tick, 1000)
  listenForWake({
    wake: () => {
      session.wake()
    },
    hide: () => {
      outbox.release()
      session.flush()
    },
    visibility: () => {
      session.visibilityChanged()
    },
  })
  if (state.token) enter()

  return {
    signIn: (token) => {
      session.stop()
      room.reset()
      state.signIn(token)
      enter()
    },
    forget: () => {
      session.stop()
      room.reset()
      forgetEverything()
      void deleteBlobs('').then(() => {
        location.reload()
      })
    },
    retry: () => {
      session.wake()
    },
    loadEarlier: () => {
      session.loadEarlier()
    },
    ask: (command) => commands.ask(command),
    send: (bytes) => session.send(bytes),
    tellTyping: throttled((requestId) => {
      session.send(typing(requestId, settings.nickname))
    }),
  }
}
