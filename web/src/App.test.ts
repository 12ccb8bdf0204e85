import { mount } from '@vue/test-utils'
import { Quasar } from 'quasar'
import { expect, test } from 'vitest'

import App from './App.vue'

test('the page names itself', () => {
  const page = mount(App, { global: { plugins: [Quasar] } })
  expect(page.get('h1').text()).toBe('LineUp')
})
