import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import { ErrorCode } from '../proto/lineup/v1/error_pb'
import { RequestState } from '../proto/lineup/v1/request_pb'
import type { OutgoingReply } from '../protocol/codec'
import { Session, type SessionSink } from './session'
import { FakeSocket } from './testing'

const REPLY: OutgoingReply = {
  ref: 'ref-1',
  requestId: 'q1',
  agentId: 'a1',
  isReport: false,
  action: 'answer',
  text: 'Yes',
  answers: [],
  inputJson: '',
  attachments: [],
}

let sockets: FakeSocket[]
let due: OutgoingReply[]
let visible: boolean
let sink: SessionSink
let session: Session

function socket(): FakeSocket {
  return sockets.at(-1)!
}

/** The ack of the ping that is open now. */
function pong(): void {
  socket().say({ Cmd: 'Ack', ack: { ref: socket().last('Ping')!.ref, accepted: true } })
}

beforeEach(() => {
  vi.useFakeTimers()
  sockets = []
  due = []
  visible = true
  sink = {
    identity: () => ({
      token: 'token',
      nickname: 'Phone',
      client: { deviceId: 'd', tabId: 't', version: '1', locale: 'en', visible },
    }),
    connecting: vi.fn(),
    online: vi.fn(),
    offline: vi.fn(),
    signedOut: vi.fn(),
    renewTab: vi.fn(),
    server: vi.fn(),
    events: vi.fn(),
    happened: vi.fn(),
    reset: vi.fn(),
    syncing: vi.fn(),
    synced: vi.fn(),
    earlier: vi.fn(),
    users: vi.fn(),
    presence: vi.fn(),
    agents: vi.fn(),
    devices: vi.fn(),
    chat: vi.fn(),
    takeDue: () => due.splice(0),
    acknowledged: vi.fn(),
    shared: vi.fn(),
    given: vi.fn(),
    pairing: vi.fn(),
    announce: vi.fn(),
    refusedTools: vi.fn(),
  }
  let refs = 0
  session = new Session(sink, {
    openSocket: () => {
      const fresh = new FakeSocket()
      sockets.push(fresh)
      return fresh
    },
    random: () => 1,
    now: Date.now,
    newRef: () => `ping-${++refs}`,
  })
})

afterEach(() => {
  session.stop()
  vi.useRealTimers()
})

describe('login', () => {
  test('says who this is and learns where the log stands', () => {
    session.start()
    socket().welcome()
    expect(socket().sent[0]).toMatchObject({ Cmd: 'UserLogin', StrParam: 'token', Nickname: 'Phone' })
    expect(sink.online).toHaveBeenCalledWith('c1')
    expect(sink.syncing).toHaveBeenCalledBefore(vi.mocked(sink.synced))
    expect(sink.synced).toHaveBeenCalledOnce()
    expect(socket().count('GetOnlineUsers')).toBe(1)
  })

  test('refused is signed out, for good', () => {
    session.start()
    socket().open()
    socket().say({ Cmd: 'UserLogin', UserLoginResponse: { success: false, errorMessage: 'unknown' } })
    vi.advanceTimersByTime(60_000)
    expect(sink.signedOut).toHaveBeenCalledWith('unknown')
    expect(sockets).toHaveLength(1)
    session.wake()
    expect(sockets).toHaveLength(1)
  })

  test('a rename logs in again on the same socket and stays online', () => {
    session.start()
    socket().welcome()
    session.rename()
    socket().say({ Cmd: 'UserLogin', UserLoginResponse: { success: true, clientId: 'c1' } })
    expect(socket().count('UserLogin')).toBe(2)
    expect(sink.online).toHaveBeenCalledOnce()
  })
})

describe('a connection that does not work', () => {
  test('is given up after five seconds, the next waits half a second', () => {
    session.start()
    vi.advanceTimersByTime(5_000)
    expect(sockets[0]?.isClosed).toBe(true)
    expect(sink.offline).toHaveBeenCalledWith(500)
    vi.advanceTimersByTime(500)
    expect(sockets).toHaveLength(2)
  })

  test('an open socket without a login is given up, too', () => {
    session.start()
    socket().open()
    vi.advanceTimersByTime(5_500)
    expect(sockets).toHaveLength(2)
  })

  test('pauses grow and are short again after a login', () => {
    session.start()
    for (const pause of [500, 1000, 2000]) {
      socket().end(1006)
      expect(sink.offline).toHaveBeenLastCalledWith(pause)
      vi.advanceTimersByTime(pause)
    }
    socket().welcome()
    socket().end(1001)
    expect(sink.offline).toHaveBeenLastCalledWith(500)
  })

  test('waking up does not wait for the pause', () => {
    session.start()
    socket().end(1006)
    session.wake()
    expect(sockets).toHaveLength(2)
    session.wake()
    expect(sockets).toHaveLength(2)
  })
})

describe('heartbeat', () => {
  beforeEach(() => {
    session.start()
    socket().welcome()
  })

  test('every twenty seconds, and an answer keeps the connection', () => {
    vi.advanceTimersByTime(20_000)
    pong()
    vi.advanceTimersByTime(15_000)
    expect(sockets).toHaveLength(1)
    expect(sink.acknowledged).not.toHaveBeenCalled()
  })

  test('no answer in five seconds: the socket is dead', () => {
    vi.advanceTimersByTime(25_000)
    expect(sockets[0]?.isClosed).toBe(true)
    expect(sink.offline).toHaveBeenCalledWith(500)
  })

  test('B46: waking up asks at once', () => {
    session.wake()
    expect(socket().count('Ping')).toBe(1)
    vi.advanceTimersByTime(5_000)
    expect(sink.offline).toHaveBeenCalled()
  })

  test('B46: after a long sleep it does not even ask', () => {
    vi.setSystemTime(Date.now() + 60_000)
    session.wake()
    expect(sockets).toHaveLength(2)
    expect(sockets[0]?.isClosed).toBe(true)
  })

  test('an old socket says nothing any more', () => {
    const [old] = sockets
    vi.advanceTimersByTime(25_500)
    old?.say({ Cmd: 'RequestState', requestState: { requestId: 'q1' } })
    expect(sink.happened).not.toHaveBeenCalled()
  })
})

describe('the same tab twice', () => {
  test('a visible page takes a new id', () => {
    session.start()
    socket().welcome()
    socket().end(4001)
    expect(sink.renewTab).toHaveBeenCalledOnce()
    vi.advanceTimersByTime(500)
    expect(sockets).toHaveLength(2)
  })

  test('a hidden one waits until somebody looks at it', () => {
    session.start()
    socket().welcome()
    visible = false
    socket().end(4001)
    vi.advanceTimersByTime(60_000)
    expect(sockets).toHaveLength(1)
    session.wake()
    expect(sink.renewTab).toHaveBeenCalledOnce()
    expect(sockets).toHaveLength(2)
  })
})

describe('replies', () => {
  test('go out with a ping behind them, their ack comes back', () => {
    session.start()
    socket().welcome()
    due = [REPLY]
    session.flush()
    expect(socket().sent.slice(-2).map(({ Cmd }) => Cmd)).toEqual(['AskQuestionReply', 'Ping'])
    socket().say({ Cmd: 'Ack', seq: 4n, ack: { ref: 'ref-1', accepted: true } })
    expect(sink.acknowledged).toHaveBeenCalledWith(expect.objectContaining({ ref: 'ref-1', seq: 4 }))
  })

  test('B01: wait while there is no connection and go out after the next login', () => {
    session.start()
    due = [REPLY]
    session.flush()
    expect(due).toHaveLength(1)
    socket().welcome()
    expect(socket().last('AskQuestionReply')?.ref).toBe('ref-1')
  })

  test('B49: a relay that does not answer is found out in five seconds', () => {
    session.start()
    socket().welcome()
    due = [REPLY]
    session.flush()
    vi.advanceTimersByTime(5_000)
    expect(sink.offline).toHaveBeenCalled()
  })

  test('a refusal is told with its code', () => {
    session.start()
    socket().welcome()
    socket().say({ Cmd: 'Ack', ack: { ref: 'ref-1', code: ErrorCode.ALREADY_ANSWERED } })
    expect(sink.acknowledged).toHaveBeenCalledWith(
      expect.objectContaining({ accepted: false, code: 'already_answered' }),
    )
  })
})

describe('history', () => {
  function state(seq: bigint) {
    return { Cmd: 'RequestState', seq, requestState: { requestId: 'q1', state: RequestState.EXPIRED } }
  }

  function page(seqs: readonly bigint[], more: boolean, lastSeq: bigint, reset = false, ref = '') {
    socket().say({
      Cmd: 'GetHistory',
      ref,
      historyPage: { messages: seqs.map(state), more, lastSeq, floorSeq: 1n, reset },
    })
  }

  test('the first load reads the newest page', () => {
    session.start()
    socket().welcome({ lastSeq: 450n })
    expect(sink.reset).toHaveBeenCalledOnce()
    expect(socket().last('GetHistory')?.getHistory).toMatchObject({ afterSeq: 250n, limit: 200 })
    page([251n, 450n], false, 450n)
    expect(sink.earlier).toHaveBeenLastCalledWith({ exists: true, isLoading: false, hasFailed: false, sinceMs: 0 })
    expect(sink.synced).toHaveBeenCalledOnce()
    session.loadEarlier()
    session.loadEarlier()
    expect(socket().count('GetHistory')).toBe(2)
    const asked = socket().last('GetHistory')
    expect(asked?.getHistory).toMatchObject({ beforeSeq: 251n })
    expect(sink.earlier).toHaveBeenLastCalledWith(expect.objectContaining({ isLoading: true }))
    page([51n, 250n], true, 450n, false, asked?.ref)
    expect(sink.earlier).toHaveBeenLastCalledWith(expect.objectContaining({ exists: true, isLoading: false }))
    expect(sink.synced).toHaveBeenCalledOnce()
  })

  test('an older page that the relay cannot read, or that a break swallowed, can be asked for again', () => {
    session.start()
    socket().welcome({ lastSeq: 450n })
    page([251n, 450n], false, 450n)
    session.loadEarlier()
    socket().say({ Cmd: 'Ack', ack: { ref: socket().last('GetHistory')!.ref, accepted: false, code: ErrorCode.LOG_UNAVAILABLE } })
    expect(sink.earlier).toHaveBeenLastCalledWith({ exists: true, isLoading: false, hasFailed: true, sinceMs: 0 })
    expect(sink.acknowledged).not.toHaveBeenCalled()
    session.loadEarlier()
    socket().end(1006)
    expect(sink.earlier).toHaveBeenLastCalledWith({ exists: true, isLoading: false, hasFailed: false, sinceMs: 0 })
  })

  test('a break reads all that was missed, page by page, and nothing else', () => {
    session.start()
    socket().welcome({ lastSeq: 10n })
    page([1n, 10n], false, 10n)
    socket().say(state(11n))
    socket().end(1006)
    vi.advanceTimersByTime(500)
    socket().welcome({ lastSeq: 300n })
    expect(sink.reset).toHaveBeenCalledOnce()
    expect(socket().last('GetHistory')?.getHistory?.afterSeq).toBe(11n)
    page([12n, 211n], true, 300n)
    expect(socket().last('GetHistory')?.getHistory?.afterSeq).toBe(211n)
    page([212n, 300n], false, 300n)
    expect(socket().count('GetHistory')).toBe(2)
  })

  test('what is heard while pages are missing does not hide them from the next login', () => {
    session.start()
    socket().welcome({ lastSeq: 10n })
    page([1n, 10n], false, 10n)
    socket().end(1006)
    vi.advanceTimersByTime(500)
    socket().welcome({ lastSeq: 300n })
    socket().say(state(301n))
    socket().end(1006)
    vi.advanceTimersByTime(500)
    socket().welcome({ lastSeq: 301n })
    expect(socket().last('GetHistory')?.getHistory?.afterSeq).toBe(10n)
  })

  test('a new log or a reset starts anew', () => {
    session.start()
    socket().welcome({ lastSeq: 10n })
    page([1n, 10n], false, 10n)
    socket().end(1006)
    vi.advanceTimersByTime(500)
    socket().welcome({ lastSeq: 5n, logId: 'log-2' })
    expect(sink.reset).toHaveBeenCalledTimes(2)
    page([90n], false, 90n, true)
    expect(sink.reset).toHaveBeenCalledTimes(3)
  })
})
