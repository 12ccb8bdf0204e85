import { describe, expect, test } from 'vitest'

import type { ChatLine as Line } from '../../protocol/chat'
import { byRole, show } from '../testing'
import ChatLine from './ChatLine.vue'

const line: Line = { id: '1', content: 'ls', atMs: 1, mine: false, state: 'delivered' }
const props = { line, device: 'iPad', canReply: true }

describe('a message of another device', () => {
  test('can be put into the open reply, if there is one', async () => {
    const shown = show(ChatLine, props)
    expect(shown.text()).toContain('iPad')
    await byRole(shown, 'button', { name: 'Put into reply' }).trigger('click')
    expect(shown.emitted('reply')).toHaveLength(1)
    expect(show(ChatLine, { ...props, canReply: false }).text()).not.toContain('Put into reply')
  })
})

describe('an own message', () => {
  test('that was not delivered can be sent again', async () => {
    const shown = show(ChatLine, { ...props, line: { ...line, mine: true, state: 'failed' } })
    expect(shown.text()).toContain('Not delivered')
    await byRole(shown, 'button', { name: 'Retry' }).trigger('click')
    expect(shown.emitted('retry')).toHaveLength(1)
  })

  test('says when it arrived', () => {
    expect(show(ChatLine, { ...props, line: { ...line, mine: true } }).text()).toContain('Delivered')
  })
})
