import { expect, test } from 'vitest'

import { skewOf } from './version'

test.each([
  ['0.1.0', '0.1.0', ''],
  ['0.1.0', '0.2.0', 'older'],
  ['0.10.0', '0.9.3', 'newer'],
  ['1.0', '1.0.0', ''],
  ['1.0.0', '1.0.1', 'older'],
  ['0.2.0.dev1', '0.2.0', ''],
  ['0.1.0', '', ''],
] as const)('a page of %s beside a relay of %s is %s', (page, relay, skew) => {
  expect(skewOf(page, relay)).toBe(skew)
})
