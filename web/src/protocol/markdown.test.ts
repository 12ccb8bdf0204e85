import { describe, expect, test } from 'vitest'

import { renderMarkdown } from './markdown'

const WORDS = { copy: 'Copy', done: 'done', open: 'open', diagram: 'Show diagram', zoom: 'Show large', unfold: (lines: number) => `All ${lines}`, picture: (host: string) => `Load from ${host}` }

function render(text: string): HTMLElement {
  const element = document.createElement('div')
  element.innerHTML = renderMarkdown(text, WORDS)
  return element
}

describe('B34: text of a model stays text', () => {
  const hostile = [
    '<img src=x onerror="window.pwned=1">',
    '<script>window.pwned=1</script>',
    '<svg onload=alert(1)></svg>',
    '<iframe srcdoc="<script>parent.pwned=1</script>"></iframe>',
    '<a href="javascript:alert(1)">x</a>',
    '<form action="https://evil.example"><input name=a></form>',
    '<style>*{display:none}</style>',
    '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
    '`<b onclick=alert(1)>`',
    '![x](x" onerror="alert(1))',
    '```"><img src=x onerror=alert(1)>\ncode\n```',
  ]

  test.each(hostile)('%s', (text) => {
    const element = render(text)
    expect(element.querySelector('script, iframe, svg, form, input, style, math, object, embed')).toBeNull()
    for (const node of element.querySelectorAll('*')) {
      for (const { name } of node.attributes) expect(name).not.toMatch(/^on|^style$|^srcdoc$/)
    }
    expect(element.querySelector('img')).toBeNull()
  })
})

describe('what is nested too deeply is shown as it was written', () => {
  const nested = [
    `${'>'.repeat(2_000)} end`,
    `${Array.from({ length: 150 }, (_, n) => `${' '.repeat(2 * n)}- item`).join('\n')}\n\nend`,
    `${'- '.repeat(2_000)}end`,
  ]

  test.each(nested)('%#', (text) => {
    expect(render(text).querySelector('code')?.textContent).toBe(text)
  })

  test('what is not is not', () => {
    const text = `${Array.from({ length: 40 }, (_, n) => `${' '.repeat(2 * n)}- item`).join('\n')}\n\nend`
    expect(render(text).querySelector('p:last-child')?.textContent).toBe('end')
  })
})

describe('B35: links lead only to the web and to mail', () => {
  const dead = [
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](java\tscript:alert(1))',
    '[x](&#106;avascript:alert(1))',
    '[x](data:text/html,<script>alert(1)</script>)',
    '[x](data:image/png;base64,AAAA)',
    '[x](vbscript:x)',
    '[x](file:///etc/passwd)',
    '<javascript:alert(1)>',
    '[x](//evil.example/protocol-relative)',
    '[x](relative/path)',
  ]

  test.each(dead)('%s is no link', (text) => {
    expect(render(text).querySelector('a[href]')).toBeNull()
  })

  test('a link says where it goes and opens elsewhere', () => {
    const element = render('[the docs](https://docs.example.org/a) and https://plain.example.org/b')
    const [first, second] = element.querySelectorAll('a')
    expect(first?.getAttribute('rel')).toBe('noopener noreferrer')
    expect(first?.target).toBe('_blank')
    expect(element.querySelectorAll('.host')).toHaveLength(1)
    expect(element.querySelector('.host')?.textContent).toBe('docs.example.org')
    expect(second?.getAttribute('href')).toBe('https://plain.example.org/b')
  })

  test('a link that pretends to be another shows its real host', () => {
    expect(render('[https://bank.example](https://evil.example)').querySelector('.host')?.textContent).toBe(
      'evil.example',
    )
  })

  test('a file name is no link', () => {
    expect(render('see charge.py and README.md').querySelector('a')).toBeNull()
  })
})

describe('pictures', () => {
  test('from elsewhere wait for a tap', () => {
    const element = render('![chart](https://charts.example.org/x.png)')
    expect(element.querySelector('img')).toBeNull()
    expect(element.querySelector('button')?.type).toBe('button')
    expect(element.querySelector('button')?.textContent).toBe('chartLoad from charts.example.org')
  })

  test('inside the text are shown', () => {
    const source = 'data:image/png;base64,iVBORw0KGgo='
    expect(render(`![dot](${source})`).querySelector('img')?.getAttribute('src')).toBe(source)
    expect(render('![x](data:image/svg+xml;base64,PHN2Zz4=)').querySelector('img')).toBeNull()
  })
})

describe('code', () => {
  const source = 'a\t= "x"  \n\n  <b>&amp;\n'

  test('copies byte for byte', () => {
    expect(render('```py\n' + source + '```').querySelector('code')?.textContent).toBe(source)
  })

  test('shows a diff with its file and counts, and copies it byte for byte', () => {
    const diff = '--- a/x.py\n+++ b/x.py\n@@ -1 +1,2 @@\n-old\n+new\n+more\n same\n\n'
    const element = render('```diff\n' + diff + '```')
    expect(element.querySelector('code')?.textContent).toBe(diff)
    expect(element.querySelector('.mono')?.textContent).toBe('x.py')
    expect(element.querySelector('.add')?.textContent).toBe('+2')
    expect(element.querySelector('.del')?.textContent).toBe('−1')
    expect(element.querySelectorAll('code .a')).toHaveLength(2)
  })
})

test('tables scroll inside, task lists say how far they are', () => {
  const element = render('|a|b|\n|-|-|\n|1|2|\n\n- [x] one\n- [ ] two\n- three')
  expect(element.querySelector('.scroll-x table')).not.toBeNull()
  expect(element.querySelector('.scroll-x')?.getAttribute('tabindex')).toBe('0')
  const boxes = [...element.querySelectorAll('[role=img]')].map((box) => box.getAttribute('aria-label'))
  expect(boxes).toEqual(['done', 'open'])
  expect(element.querySelectorAll('li')[0]?.textContent).toBe('one')
})

test('long code is folded, short code is not, and nothing of it is lost', () => {
  const code = (lines: number) => renderMarkdown(`\`\`\`\n${'x\n'.repeat(lines)}\`\`\``, WORDS)
  expect(code(25)).toContain('All 25')
  expect(code(25).match(/x/g)?.length).toBeGreaterThanOrEqual(25)
  expect(code(24)).not.toContain('data-unfold')
})

describe('code', () => {
  test('names its language for the highlighter, and nothing else', () => {
    expect(render('```TypeScript title=x\nlet a\n```').querySelector('figure')?.dataset.lang).toBe('typescript')
    for (const text of ['```\nx\n```', '    x', '```diff\n+x\n```', '```mermaid\ngraph TD\n```']) {
      expect(render(text).querySelector('[data-lang]')).toBeNull()
    }
    expect(render('```"onload=alert(1)>\nx\n```').querySelector('figure')?.getAttributeNames()).toEqual(['class', 'data-lang'])
  })

  test('of a diagram is its source until somebody wants to see it', () => {
    const figure = render('```mermaid\ngraph TD; A-->B\n```').querySelector('figure')
    expect(figure?.querySelector('code')?.textContent).toBe('graph TD; A-->B\n')
    expect(figure?.querySelector('[data-diagram]')?.textContent).toBe('Show diagram')
  })
})
