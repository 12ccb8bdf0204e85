import { expect, test } from 'vitest'

import { show } from '../testing'
import OwnDeviceRow from './OwnDeviceRow.vue'

test('this device is listed, without a way to chat with it', async () => {
  const row = show(OwnDeviceRow, { nickname: 'Desk', isPhone: false, isOnline: true })
  expect(row.text()).toBe('DeskThis device')
  expect(row.find('a, button').exists()).toBe(false)
  expect(row.find('.dot.off').exists()).toBe(false)
  await row.setProps({ isOnline: false })
  expect(row.find('.dot.off').exists()).toBe(true)
})
