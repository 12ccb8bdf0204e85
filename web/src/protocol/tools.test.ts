import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'

import { ErrorCode } from '../proto/lineup/v1/error_pb'
import { CallPhase, ToolType } from '../proto/lineup/v1/tool_pb'
import { WebsocketMessageSchema } from '../proto/lineup/v1/websocket_pb'
import { decode } from './codec'
import { parseMiniApps } from './miniapps'
import { encodeToolList } from './offerCodec'
import { applyEvents, EMPTY_ROOM, withAgents } from './room'
import { AGENT, aRequest } from './testing'
import { encodeCallUpdate } from './toolCodec'
import { anUpdateOf, argumentsOf, type CallFacts, type ToolDefinition } from './tools'

const CALL: CallFacts = { callId: 'c1', name: 'calculator', action: 'add', argumentsJson: '{}', applicationId: '', agentId: 'a', timeoutMs: 5, atMs: 7 }

describe('the codec', () => {
  test('announces tools and MiniApps in the wire’s fields', () => {
    const choice: ToolDefinition = { name: 'choice', type: 'action', version: '2', description: 'd', interactive: true, inputSchema: { type: 'object' }, resultSchema: { a: 1 } }
    const timer: ToolDefinition = {
      ...{ name: 'timer', type: 'toolset', version: '1', description: 'd' },
      actions: [{ name: 'start', description: 's', inputSchema: { type: 'object' }, hints: { read_only: true } }],
    }
    const bytes = encodeToolList([choice], [{ id: 'app', version: '3', title: 'App', tools: [timer] }])('ref-1')
    const { Cmd, ref, toolList } = fromBinary(WebsocketMessageSchema, bytes)
    expect({ Cmd, ref }).toEqual({ Cmd: 'ToolList', ref: 'ref-1' })
    expect(toolList?.tools[0]).toMatchObject({ name: 'choice', type: ToolType.ACTION, interactive: true, version: '2', inputSchemaJson: '{"type":"object"}', resultSchemaJson: '{"a":1}', actions: [] })
    expect(toolList?.applications[0]).toMatchObject({ id: 'app', version: '3', title: 'App' })
    expect(toolList?.applications[0]?.tools[0]).toMatchObject({ type: ToolType.TOOLSET, inputSchemaJson: '', actions: [{ name: 'start', hints: { readOnly: true, destructive: false } }] })
  })

  test('writes an update with its code and pictures', () => {
    const picture = { kind: 'image' as const, name: 'canvas.png', mime: 'image/png', bytes: new Uint8Array([1]) }
    const update = anUpdateOf('c1', 'failed', { code: 'not_supported', message: 'no', contents: [picture], instanceId: 'i' })
    const { toolCallUpdate } = fromBinary(WebsocketMessageSchema, encodeCallUpdate({ ref: 'r', update }))
    expect(toolCallUpdate).toMatchObject({ callId: 'c1', phase: CallPhase.FAILED, code: ErrorCode.NOT_SUPPORTED, message: 'no', instanceId: 'i' })
    expect(toolCallUpdate?.contents[0]?.image).toMatchObject({ data: 'AQ==', mimeType: 'image/png' })
    const odd = encodeCallUpdate({ ref: 'r', update: anUpdateOf('c1', 'failed', { code: 'constructor' }) })
    expect(fromBinary(WebsocketMessageSchema, odd).toolCallUpdate?.code).toBe(ErrorCode.UNSPECIFIED)
  })

  test('reads its own words back, and drops what it does not know', () => {
    const update = anUpdateOf('c1', 'progress', { progress: 1, total: 4, message: 'quarter' })
    expect(decode(encodeCallUpdate({ ref: 'r', update }))).toMatchObject({ type: 'callUpdate', update, by: '' })
    expect(decode(encodeToolList([], [])('r'))).toEqual({ type: 'announce' })
  })

  test('reads a call that comes with its end as no call to run', () => {
    const end = {
      Cmd: 'ToolCallUpdate',
      Nickname: 'PC',
      seq: 7n,
      toolCall: { callId: 'c1', name: 'calculator', action: 'add', argumentsJson: '{"a":1}', agentId: 'a1', openedUnixMs: 5n, deadlineUnixMs: 65n },
      toolCallUpdate: { callId: 'c1', phase: CallPhase.SUCCEEDED, changedUnixMs: 9n },
    }
    expect(decode(toBinary(WebsocketMessageSchema, create(WebsocketMessageSchema, end)))).toMatchObject({
      ...{ type: 'callUpdate', by: 'PC', seq: 7, atMs: 9 },
      call: { callId: 'c1', name: 'calculator', action: 'add', argumentsJson: '{"a":1}', agentId: 'a1', timeoutMs: 60, atMs: 5 },
    })
  })
})

test('arguments are an object or nothing', () => {
  expect(argumentsOf('')).toEqual({})
  expect(argumentsOf('{"a":1}')).toEqual({ a: 1 })
  for (const json of ['[]', '1', 'null', '"x"', '{']) expect(argumentsOf(json)).toBeNull()
})

describe('the fold over calls', () => {
  const called = { type: 'call' as const, seq: 1, call: CALL }
  const told = (phase: Parameters<typeof anUpdateOf>[1], part = {}, by = '') =>
    ({ type: 'callUpdate' as const, seq: 0, update: anUpdateOf('c1', phase, part), by, atMs: 9 })

  test('goes forward to one end', () => {
    const room = applyEvents(EMPTY_ROOM, [called, called, told('accepted'), told('progress', { progress: 2, total: 3 })])
    expect(room.calls.get('c1')).toMatchObject({ phase: 'accepted', progress: 2, total: 3, endedMs: 0 })
    const ended = applyEvents(room, [told('succeeded', { resultJson: '{}' }, 'PC'), told('failed'), called])
    expect(ended.calls.get('c1')).toMatchObject({ phase: 'succeeded', resultJson: '{}', by: 'PC', endedMs: 9 })
    expect(applyEvents(ended, [told('cancelled')])).toBe(ended)
  })

  test('takes no words about the progress for the reason of the end', () => {
    const room = applyEvents(EMPTY_ROOM, [called, told('progress', { progress: 1, message: '1:12 left' }), told('failed', { code: 'app_gone' })])
    expect(room.calls.get('c1')).toMatchObject({ phase: 'failed', code: 'app_gone', message: '' })
  })

  test('knows of calls that another device took', () => {
    const room = applyEvents(EMPTY_ROOM, [called, told('taken', {}, 'PC')])
    expect(room.calls.get('c1')).toMatchObject({ phase: 'taken', by: 'PC', endedMs: 0 })
    expect(applyEvents(room, [told('succeeded')]).calls.get('c1')).toMatchObject({ phase: 'succeeded', by: 'PC' })
  })

  test('keeps the newest', () => {
    const many = Array.from({ length: 600 }, (_, n) => ({ ...called, call: { ...CALL, callId: `c${n}` } }))
    const { calls } = applyEvents(EMPTY_ROOM, many)
    expect(calls.size).toBe(500)
    expect(calls.has('c599')).toBe(true)
  })

  test('takes the call from its end where another device ran it', () => {
    const end = { ...told('succeeded', {}, 'PC'), call: CALL }
    const room = applyEvents(EMPTY_ROOM, [end, end])
    expect(room.calls.get('c1')).toMatchObject({ ...CALL, phase: 'succeeded', by: 'PC', endedMs: 9 })
    expect(applyEvents(room, [called])).toBe(room)
  })

  test('ignores what it has no call for', () => {
    expect(applyEvents(EMPTY_ROOM, [told('succeeded')])).toBe(EMPTY_ROOM)
  })
})

test('a question of an agent that was not known gets its name when it is', () => {
  const nameless = { ...AGENT, client: '', name: 'Agent' }
  const asked = { tool: 'choice' as const, field: 'lines' as const, placeholder: '' }
  const room = applyEvents(EMPTY_ROOM, [
    { type: 'request', seq: 1, request: aRequest({ id: 'asked', asked, agent: nameless }) },
    { type: 'request', seq: 2, request: aRequest({ id: 'other', agent: nameless }) },
  ])
  const named = withAgents(room, new Map([[AGENT.id, AGENT]]))
  expect(named.requests.get('asked')?.agent.name).toBe('Claude Code')
  expect(named.requests.get('other')?.agent.name).toBe('Agent')
  expect(withAgents(named, new Map([[AGENT.id, AGENT]]))).toBe(named)
})

test('the list of MiniApps keeps to its own folder', () => {
  const good = { id: 'pomodoro', version: '1.0', title: 'Pomodoro', entry: 'index.html', tools: [] }
  expect(parseMiniApps({ miniapps: [good] })).toEqual([{ id: 'pomodoro', version: '1.0', title: 'Pomodoro', tools: [], src: 'miniapps/pomodoro/index.html' }])
  const bad = [
    { ...good, id: '../x' },
    { ...good, id: '' },
    { ...good, entry: '/etc/passwd' },
    { ...good, entry: '../../index.html' },
    { ...good, entry: 'javascript:alert(1)' },
    { ...good, entry: 'a//b' },
    { ...good, title: 1 },
    null,
    'x',
  ]
  expect(parseMiniApps({ miniapps: bad })).toEqual([])
  expect(parseMiniApps(null)).toEqual([])
  expect(parseMiniApps({ miniapps: {} })).toEqual([])
})
