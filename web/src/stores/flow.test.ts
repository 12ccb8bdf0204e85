import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { watch } from 'vue'

import { EMPTY_DRAFT, replyOf, toggleLabel, writeText } from '../protocol/draft'
import { anUpdate, aQuestion, aReply, aRequest, options } from '../protocol/testing'
import { useClock } from './clock'
import { useDock } from './dock'
import { useDrafts } from './drafts'
import { useKeptWords } from './keptWords'
import { useOutbox } from './outbox'
import { useRoom } from './room'
import { keysBelow, roomKey } from './storage'

const yesNo = aQuestion({ options: options('Yes', 'No') })
const first = aRequest({ id: 'first', createdMs: 1, questions: [yesNo] })
const second = aRequest({ id: 'second', createdMs: 2, questions: [yesNo] })

function ask(...requests: (typeof first)[]) {
  useRoom().apply(requests.map((request, index) => ({ type: 'request', seq: index + 1, request })))
  useDock().settle()
}

function answerFirst(undoMs: number) {
  const draft = toggleLabel(EMPTY_DRAFT, 0, yesNo, 'Yes')
  useOutbox().put(first, replyOf(first, draft, 'answer'), undoMs)
  useDock().settle()
}

/** What a reload of the page does to the stores. */
function reload() {
  setActivePinia(createPinia())
  useOutbox().open('room')
  useDrafts().open('room')
}

beforeEach(() => {
  localStorage.clear()
  vi.useFakeTimers()
  reload()
})

describe('the dock', () => {
  test('opens the first card, and a new one does not replace it', () => {
    const dock = useDock()
    ask(second)
    expect(dock.openId).toBe('second')
    ask(first, second)
    expect(dock.openId).toBe('second')
    expect(dock.next.map(({ id }) => id)).toEqual(['first'])
  })

  test('keeps the card while its undo time runs, then opens the next', () => {
    const dock = useDock()
    ask(first, second)
    answerFirst(3000)
    expect(dock.openId).toBe('first')
    useOutbox().release()
    dock.settle()
    expect(dock.openId).toBe('second')
  })

  test('keeps a card that ended while it was open, for the text in it', () => {
    const dock = useDock()
    ask(first)
    useDrafts().set('first', writeText(EMPTY_DRAFT, 0, 'half a thought'))
    useRoom().apply([{ type: 'state', seq: 9, update: anUpdate({ requestId: 'first', phase: 'expired' }) }])
    dock.settle()
    expect(dock.card?.phase).toBe('expired')
    expect(dock.isIdleEnd).toBe(false)
    dock.close()
    expect(dock.card).toBeUndefined()
    expect(useDrafts().has('first')).toBe(true)
  })

  describe('when a card is over and another waits', () => {
    function end(words: string) {
      const dock = useDock()
      ask(first)
      if (words) {
        useDrafts().set('first', writeText(EMPTY_DRAFT, 0, words))
        dock.touch()
      }
      useRoom().apply([{ type: 'state', seq: 9, update: anUpdate({ requestId: 'first', phase: 'expired' }) }])
      dock.settle()
      return dock
    }

    function wait(ms: number) {
      vi.advanceTimersByTime(ms)
      useClock().tick()
      useDock().settle()
    }

    test('what waits comes first, at once if nobody is at work there', () => {
      const dock = end('')
      wait(60_000)
      expect(dock.openId).toBe('first')
      ask(second)
      expect(dock.openId).toBe('second')
      expect(useKeptWords().left).toBeNull()
    })

    test('it stays under the hands of whoever writes, and gives way a moment later', () => {
      const dock = end('half a thought')
      ask(second)
      expect([dock.openId, dock.next.length]).toEqual(['first', 1])
      wait(19_000)
      dock.touch()
      wait(19_000)
      expect(dock.openId).toBe('first')
      wait(2_000)
      expect([dock.openId, useKeptWords().left?.id]).toEqual(['second', 'first'])
      // The way back, for as long as there are words.
      const stop = watch(() => dock.mayStay, dock.settle, { flush: 'sync' })
      dock.open('first')
      stop()
      expect(dock.openId).toBe('first')
      dock.open('second')
      useDrafts().clear('first')
      expect(useKeptWords().left).toBeNull()
    })

    test('the folded dock names who waits, and opens that', () => {
      const dock = end('half a thought')
      dock.isFolded = true
      ask(second)
      expect(dock.front?.id).toBe('second')
      dock.isFolded = true
      dock.unfold()
      expect([dock.openId, dock.isFolded]).toEqual(['second', false])
    })
  })

  test('the folded dock stays with the card that it folds', () => {
    const dock = useDock()
    ask(first, second)
    dock.isFolded = true
    expect(dock.front?.id).toBe('first')
    dock.unfold()
    expect([dock.openId, dock.isFolded]).toEqual(['first', false])
  })

  test('lets go of a card that this page answered', () => {
    const dock = useDock()
    ask(first)
    useRoom().apply([{ type: 'reply', seq: 9, request: first, reply: aReply({ mine: true }) }])
    dock.settle()
    expect(dock.card).toBeUndefined()
  })

  test('brings a card back when its answer is taken back for editing', () => {
    const dock = useDock()
    ask(first, second)
    answerFirst(0)
    expect(dock.waiting.map(({ id }) => id)).toEqual(['second'])
    dock.edit('first')
    expect(dock.openId).toBe('first')
    expect(useOutbox().entries).toEqual([])
  })
})

describe('what survives a reload', () => {
  test('a queued answer, with the same ref', () => {
    answerFirst(0)
    const [{ ref } = { ref: '' }] = useOutbox().entries
    useOutbox().takeDue()
    reload()
    expect(useOutbox().entries).toMatchObject([{ ref, state: 'queued', attempts: 1 }])
    useOutbox().acknowledged({ type: 'ack', ref, accepted: true, code: '', message: '', seq: 5 })
    reload()
    expect(useOutbox().entries).toEqual([])
    expect(keysBelow('room.outbox.')).toEqual([])
  })

  test('an answer in its undo time goes out: nobody sees the bar any more', () => {
    answerFirst(3000)
    reload()
    expect(useOutbox().takeDue()).toHaveLength(1)
  })

  test('a draft, until its card is answered', () => {
    useDrafts().set('first', writeText(EMPTY_DRAFT, 0, 'half a thought'))
    reload()
    expect(useDrafts().get('first').questions[0]?.text).toBe('half a thought')
    useDrafts().clear('first')
    reload()
    expect(useDrafts().has('first')).toBe(false)
  })

  test('nothing of another room', () => {
    answerFirst(0)
    setActivePinia(createPinia())
    useOutbox().open('other')
    expect(useOutbox().entries).toEqual([])
    expect(roomKey('token-a')).not.toBe(roomKey('token-b'))
  })

  test('and a browser without storage still works', () => {
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError')
    })
    answerFirst(0)
    expect(useOutbox().takeDue()).toHaveLength(1)
  })
})

describe('a correction', () => {
  test('opens the card with the answer in it, and goes out as one', () => {
    const dock = useDock()
    ask(first)
    useRoom().apply([{ type: 'reply', seq: 5, request: first, reply: aReply({ answers: [{ index: 0, labels: ['Yes'], text: 'now' }], mine: true }) }])
    dock.settle()
    expect(dock.openId).toBe('')
    dock.correct('first')
    dock.settle()
    expect(dock.openId).toBe('first')
    expect(useDrafts().get('first').questions[0]).toMatchObject({ labels: ['Yes'], text: 'now' })
    useOutbox().put(first, replyOf(first, useDrafts().get('first'), 'correct'), 0)
    dock.settle()
    expect(dock.openId).toBe('')
    expect(dock.correctingId).toBe('')
  })

  test('opens although another card waits, under whoever begins it', () => {
    const dock = useDock()
    ask(first)
    useRoom().apply([{ type: 'reply', seq: 5, request: first, reply: aReply({ mine: true }) }])
    ask(second)
    const stop = watch(() => dock.mayStay, dock.settle, { flush: 'sync' })
    dock.correct('first')
    stop()
    expect([dock.openId, dock.correctingId]).toEqual(['first', 'first'])
  })
})
