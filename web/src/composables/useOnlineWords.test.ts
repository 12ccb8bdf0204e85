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

test('names up to two devices, else one and how many more', () => {
  const words = (...names: string[]) => show(Words, { names }).text()
  expect(words()).toBe('Only this device is online')
  expect(words('iPad')).toBe('iPad online')
  expect(words('iPad', 'Pixel')).toBe('iPad, Pixel online')
  expect(words('iPad', 'Pixel', 'Desk', 'Attic')).toBe('iPad and 3 more online')
})
