import { computed } from 'vue'

import { decisionReply, type Decision } from '../protocol/approval'
import { extendDeadline } from '../protocol/commands'
import { clearLabels, confirmationOf, draftText, EMPTY_DRAFT, replyOf, writeText, type Draft, type ReplyContent } from '../protocol/draft'
import { historyOf, wrapped } from '../protocol/quickReplies'
import type { ReplyAction } from '../protocol/view'
import { useAttachments } from '../stores/attachments'
import { useDock } from '../stores/dock'
import { useDrafts } from '../stores/drafts'
import { useMessage } from '../stores/message'
import { useOutbox } from '../stores/outbox'
import { useRoom } from '../stores/room'
import { useSettings } from '../stores/settings'
import { useAttach } from './useAttach'
import { useConnection } from './useConnection'
import { useQuickReplies, useWrap } from './useQuickReplies'

/** Everything that answers the open card. */
export function useCardReply() {
  const dock = useDock()
  const drafts = useDrafts()
  const outbox = useOutbox()
  const settings = useSettings()
  const connection = useConnection()
  const attached = useAttachments()
  const { take } = useAttach()
  const quickReplies = useQuickReplies().value
  const wrap = useWrap().value
  const room = useRoom()

  const draft = computed(() => drafts.get(dock.openId))
  const problem = computed(() => drafts.problems[dock.openId] ?? null)
  const attachments = computed(() => attached.of(dock.openId))
  const refusals = computed(() => attached.refusals[dock.openId] ?? [])
  /** What was answered in words, newest first. */
  const history = computed(() =>
    historyOf(
      [...room.state.requests.values()]
        .sort((a, b) => b.createdMs - a.createdMs)
        .flatMap(({ reply }) => reply?.answers.map(({ text }) => text) ?? []),
    ),
  )
  const isCorrecting = computed(() => dock.correctingId !== '' && dock.correctingId === dock.openId)
  const undoMs = computed(() => settings.undoSeconds * 1000)
  const heldUntilMs = computed(() => {
    const entry = outbox.find(dock.openId)
    return entry?.state === 'held' ? entry.notBeforeMs : 0
  })

  function setDraft(next: Draft): void {
    if (draftText(next) !== draftText(draft.value) && dock.card?.phase === 'pending') connection.tellTyping(dock.openId)
    drafts.set(dock.openId, next)
    dock.touch()
  }

  function put(content: ReplyContent, heldMs: number): void {
    const request = dock.card
    if (!request) return
    drafts.setProblem(request.id, null)
    attached.refuse(request.id, [])
    outbox.put(request, content, heldMs, content.action === 'decline' || request.approval ? [] : attachments.value.map(({ id }) => id))
  }

  /** What a tool asks for goes out as it was typed. */
  function wrappedDraft(next: Draft): Draft {
    return dock.card?.asked?.tool === 'input' ? next : wrapped(next, wrap.value)
  }

  function send(wish: ReplyAction): void {
    const action = wish === 'answer' && isCorrecting.value ? 'correct' : wish
    if (dock.card) put(replyOf(dock.card, wrappedDraft(draft.value), action), 0)
  }

  /** It goes from the field to the relay and is kept nowhere between. */
  function sendSecret(text: string): void {
    if (dock.card) put(replyOf(dock.card, writeText(EMPTY_DRAFT, 0, text), 'answer'), 0)
  }

  function confirm(): void {
    if (dock.card) put(confirmationOf(dock.card, wrapped(draft.value, wrap.value)), 0)
  }

  /** A permission: at once, and for good. */
  function decide(decision: Decision): void {
    const approval = dock.card?.approval
    if (approval) put(decisionReply(approval, draft.value, decision), 0)
  }

  /** One tap answers, after a moment in which it can be taken back. */
  function tap(next: Draft): void {
    setDraft(next)
    if (dock.card) put(replyOf(dock.card, wrappedDraft(next), 'answer'), undoMs.value)
  }

  /** The undo time is over for whoever says so. */
  function sendNow(): void {
    outbox.release()
  }

  function undo(): void {
    if (heldUntilMs.value === 0) return
    outbox.takeBack(dock.openId)
    setDraft(clearLabels(draft.value, 0))
  }

  /** Gives more time; what went wrong stands on the card. */
  async function extend(seconds: number): Promise<void> {
    const id = dock.openId
    const ack = await connection.ask(extendDeadline(id, seconds))
    if (ack?.accepted) drafts.setProblem(id, null)
    else drafts.setProblem(id, { code: ack ? 'time_refused' : 'time_offline', message: '' })
  }

  async function attach(files: File[]): Promise<void> {
    dock.touch()
    await take(dock.openId, files)
  }

  function detach(id: string): void {
    attached.remove(dock.openId, id)
  }

  function originals(on: boolean): void {
    attached.sendOriginals(dock.openId, on)
  }

  /** Words that came too late for an answer go to the agent as a text. */
  function sendNote(): void {
    if (dock.card) useMessage().note(dock.card)
    dock.close()
  }

  /** The answer stays as it was. */
  function keepAnswer(): void {
    drafts.clear(dock.openId)
    dock.close()
  }

  return { isCorrecting, keepAnswer, sendNote, quickReplies, history, attachments, refusals, attach, detach, originals, draft, problem, undoMs, heldUntilMs, setDraft, send, sendSecret, confirm, decide, tap, undo, sendNow, extend }
}
