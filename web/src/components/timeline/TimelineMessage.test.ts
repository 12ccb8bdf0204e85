import { describe, expect, test } from 'vitest'

import { anEntry, aText } from '../../protocol/testing'
import { byRole, show } from '../testing'
import TimelineMessage from './TimelineMessage.vue'

const text = { ...aText(), byHuman: true }
const props = { text, sending: null, agent: 'Hermes', nickname: 'Phone' }

describe('a text to an agent says how far it has come', () => {
  test.each([
    [{ sending: anEntry({ kind: 'text', state: 'sending' }) }, 'Sending…'],
    [{ sending: anEntry({ kind: 'text', state: 'queued', attempts: 1 }) }, 'Not sent, will retry'],
    [{ sending: anEntry({ kind: 'text', state: 'refused', code: 'too_large' }) }, 'Not sent: it is too large'],
    [{}, 'Sent, waits for Hermes'],
    [{ agent: '' }, 'Sent, waits for an agent'],
    [{ text: { ...text, received: true } }, 'Hermes has it'],
    [{ text: { ...text, received: true, receivedMs: new Date(2026, 0, 1, 9, 5).getTime() } }, 'Hermes took it at 09:05'],
  ])('%#', (part, words) => {
    expect(show(TimelineMessage, { ...props, ...part }).text()).toContain(words)
  })

  test('names the device only if it is another one', () => {
    expect(show(TimelineMessage, props).text()).toContain('iPad')
    expect(show(TimelineMessage, { ...props, nickname: 'iPad' }).text()).not.toContain('iPad')
  })

  test('and can be taken back while nobody can know of it', async () => {
    const shown = show(TimelineMessage, { ...props, sending: anEntry({ kind: 'text' }) })
    await byRole(shown, 'button', { name: 'Take back' }).trigger('click')
    expect(shown.emitted('takeBack')).toHaveLength(1)
  })
})
