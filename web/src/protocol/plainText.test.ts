import { expect, test } from 'vitest'

import { plainText } from './plainText'

test.each([
  ['# **Go** with `x`?\n\n```js\nlet a_b = 1 > 0\n```\n- [a](https://b.c)', 'Go with x? let a_b = 1 > 0 a'],
  ['> quoted\n\nif a > b and *c* -> d', 'quoted if a > b and c -> d'],
  ['See [the page](https://e.org/a_(b)_bad) and ![a picture](x.png "Title").', 'See the page and a picture.'],
  ['| Name | State |\n|:---|---|\n| a | **done** |\n\na | b', 'Name · State a · done a | b'],
  ['**bold *both* bold** and __low _lines_ too__ and ~~gone~~', 'bold both bold and low lines too and gone'],
  ['**`code`** and **[link](https://a.b)**', 'code and link'],
  ['snake_case_name, 2 * 3 * 4, *.ts, #12, C# and a|b', 'snake_case_name, 2 * 3 * 4, *.ts, #12, C# and a|b'],
  ['`[x](url)` and `` a_b_ `` and \\*kept\\*', '[x](url) and a_b_ and *kept*'],
  ['1. first\n2. second\n- [x] done\n---\n<https://a.b/c>', '1. first 2. second done https://a.b/c'],
])('%j reads as it is shown', (markdown, plain) => {
  expect(plainText(markdown)).toBe(plain)
})

test.each(['[a](', '**a ', '`', '[', '_a ', '|', '> ', '[a](b "', '*a**', '~~~a'])('a long text of %j costs no time', (piece) => {
  const begun = performance.now()
  plainText(piece.repeat(25_000))
  expect(performance.now() - begun).toBeLessThan(500)
})
