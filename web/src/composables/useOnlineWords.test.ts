import { expect, test } from 'vitest'
import { defineComponent, h } from 'vue'

import { show } from '../components/testing'
import { useOnlineWords } from './useOnlineWords'

const Words = defineComponent({
  props: { names: { type: Array<string>, required: true } },
  setup(props) {
    const words = useOnlineWords()
    return () => h('p', words(props.names))
  },
})

test('names two devices and counts the rest', () => {
  const words = (...names: string[]) => show(Words, { names }).text()
  expect(words()).toBe('Only this device is online')
  expect(words('iPad')).toBe('iPad online')
  expect(words('iPad', 'Pixel')).toBe('iPad, Pixel online')
  expect(words('iPad', 'Pixel', 'Desk', 'Attic')).toBe('iPad, Pixel and 2 more online')
})
