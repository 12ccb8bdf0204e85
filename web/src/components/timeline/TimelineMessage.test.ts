import { describe, expect, test, vi } from 'vitest'
import { nextTick } from 'vue'

import { DEFAULT_LIMITS } from '../../protocol/attachments'
import { anAttachment, anEntry, aText } from '../../protocol/testing'
import { useAttachments } from '../../stores/attachments'
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

  test('shows what is attached: from the relay, and until it has it the browser\'s own', async () => {
    const picture = { src: 'files/a', mime: 'image/png' }
    const file = { kind: 'file' as const, name: 'build.log', mime: 'text/plain', src: 'files/b' }
    const shown = show(TimelineMessage, { ...props, text: { ...text, content: '', pictures: [picture], files: [file] } })
    expect(shown.find('.bub img').attributes('src')).toBe('files/a')
    expect(shown.find('.bub').text()).toContain('build.log')

    vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: () => 'blob:1', revokeObjectURL: () => undefined }))
    const sending = anEntry({ kind: 'text', state: 'sending', requestId: 'text:1', text: '', attachments: ['a'] })
    const own = show(TimelineMessage, { ...props, text: { ...text, content: '' }, sending })
    useAttachments().offer('text:1', anAttachment({ id: 'a' }), DEFAULT_LIMITS)
    await nextTick()
    expect(own.find('.att img').attributes('src')).toBe('blob:1')
    expect(own.find('.bub').exists()).toBe(false)
    expect(own.find('.att button').exists()).toBe(false)
    expect(own.text()).toContain('Sending 1 file…')
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
