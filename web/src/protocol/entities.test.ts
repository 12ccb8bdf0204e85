import { expect, test } from 'vitest'

import { decodeHTMLStrict } from './entities'

test('names of characters are read, everything else stays', () => {
  expect(['&copy;', '&amp;', '&nosuchname;', '&lt', '</textarea><img src=x>'].map(decodeHTMLStrict)).toEqual([
    '©',
    '&',
    '&nosuchname;',
    '&lt',
    '</textarea><img src=x>',
  ])
})
