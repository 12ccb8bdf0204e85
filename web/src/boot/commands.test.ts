import { expect, test } from 'vitest'

import type { AckFacts } from '../protocol/events'
import { Commands } from './commands'

const decoder = new TextDecoder()
const encoder = new TextEncoder()

function ack(ref: string): AckFacts {
  return { type: 'ack', ref, accepted: true, code: '', message: '', seq: 3 }
}

test('a command is answered by the ack with its ref, once', async () => {
  const sent: string[] = []
  const commands = new Commands((bytes) => {
    sent.push(decoder.decode(bytes))
    return true
  })
  const asked = commands.ask((ref) => encoder.encode(ref))
  expect(commands.heard(ack('another'))).toBe(false)
  expect(commands.heard(ack(sent[0]!))).toBe(true)
  await expect(asked).resolves.toMatchObject({ accepted: true, seq: 3 })
  expect(commands.heard(ack(sent[0]!))).toBe(false)
})

test('without a connection, or when it breaks, whoever asked is told', async () => {
  const offline = new Commands(() => false)
  await expect(offline.ask((ref) => encoder.encode(ref))).resolves.toBeNull()
  const broken = new Commands(() => true)
  const asked = broken.ask((ref) => encoder.encode(ref))
  broken.connectionLost()
  await expect(asked).resolves.toBeNull()
})
