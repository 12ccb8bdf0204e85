import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, test } from 'vitest'

import { anUpdate, aRequest } from '../protocol/testing'
import { useRoom } from './room'

const nothing = () => false

function shown(seq = 0) {
  useRoom().apply([{ type: 'request', seq, request: aRequest() }])
}

function logged() {
  useRoom().apply([{ type: 'state', seq: 5, update: anUpdate({ phase: 'pending' }) }])
}

function pending() {
  return useRoom().pending.map(({ id }) => id)
}

beforeEach(() => {
  setActivePinia(createPinia())
})

describe('a card that is shown before the log has it', () => {
  test('stays while what was missed is read, whatever comes first', () => {
    useRoom().syncing()
    shown()
    useRoom().synced(nothing)
    expect(pending()).toEqual(['r1'])
    logged()
    expect(pending()).toEqual(['r1'])
  })

  test('leaves with the next reading of the log if that never had it', () => {
    useRoom().syncing()
    shown()
    useRoom().synced(nothing)
    useRoom().syncing()
    useRoom().synced(nothing)
    expect(pending()).toEqual([])
  })

  test('stays with the next reading if the log has it by then, or somebody answers it', () => {
    shown()
    useRoom().syncing()
    logged()
    useRoom().synced(nothing)
    expect(pending()).toEqual(['r1'])

    shown()
    useRoom().syncing()
    useRoom().synced((id) => id === 'r1')
    expect(pending()).toEqual(['r1'])
  })
})
