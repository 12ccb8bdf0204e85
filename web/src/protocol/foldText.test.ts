import { describe, expect, test } from 'vitest'

import { foldText } from './foldText'

const lines = (count: number, from = 1) => Array.from({ length: count }, (_, n) => `line ${n + from}`).join('\n')

describe('a long text', () => {
  test('is shown whole while little would be hidden', () => {
    for (const text of ['', 'short', lines(23)]) expect(foldText(text)).toEqual({ head: text, isLong: false })
  })

  test('shows its beginning, cut between lines', () => {
    expect(foldText(lines(24))).toEqual({ head: lines(14), isLong: true })
  })

  test('counts lines that wrap', () => {
    const paragraph = 'words '.repeat(100).trim()
    const { head, isLong } = foldText([paragraph, paragraph, paragraph, paragraph].join('\n'))
    expect({ head, isLong }).toEqual({ head: [paragraph, paragraph].join('\n'), isLong: true })
  })

  test('is never cut inside of code', () => {
    const code = `\`\`\`py\n${lines(30)}\n\`\`\``
    expect(foldText(`Look:\n\n\nhere\n${code}\nend`)).toEqual({ head: 'Look:\n\n\nhere', isLong: true })
    expect(foldText(`Look:\n${code}\nend`)).toEqual({ head: `Look:\n${code}`, isLong: true })
    expect(foldText(`Look:\n${code}`)).toEqual({ head: `Look:\n${code}`, isLong: false })
    expect(foldText(`\`\`\`\n${lines(40)}`).isLong).toBe(false)
    // A shorter or another mark does not end it.
    const inner = `~~~~\n~~~\n\`\`\`\n${lines(30)}\n~~~~`
    expect(foldText(`${inner}\n${lines(20)}`).head).toBe(inner)
  })

  test('without an end is cut in its middle, not in half a character', () => {
    const { head, isLong } = foldText('😀'.repeat(9_000))
    expect(isLong).toBe(true)
    expect(head).toBe(`${'😀'.repeat(840)}…`)
  })
})
