/** Colours of code, as HTML of spans. Loaded when the first code is shown. */
import highlighter from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import cpp from 'highlight.js/lib/languages/cpp'
import csharp from 'highlight.js/lib/languages/csharp'
import css from 'highlight.js/lib/languages/css'
import dockerfile from 'highlight.js/lib/languages/dockerfile'
import go from 'highlight.js/lib/languages/go'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import kotlin from 'highlight.js/lib/languages/kotlin'
import makefile from 'highlight.js/lib/languages/makefile'
import markdown from 'highlight.js/lib/languages/markdown'
import php from 'highlight.js/lib/languages/php'
import powershell from 'highlight.js/lib/languages/powershell'
import python from 'highlight.js/lib/languages/python'
import ruby from 'highlight.js/lib/languages/ruby'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import swift from 'highlight.js/lib/languages/swift'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'

const LANGUAGES = {
  ...{ bash, c, cpp, csharp, css, dockerfile, go, ini, java, javascript, json, kotlin, makefile, markdown },
  ...{ php, powershell, python, ruby, rust, sql, swift, typescript, xml, yaml },
}
for (const [name, language] of Object.entries(LANGUAGES)) highlighter.registerLanguage(name, language)
highlighter.registerAliases(['vue', 'svelte'], { languageName: 'xml' })
highlighter.registerAliases(['shell', 'console', 'sh-session'], { languageName: 'bash' })

/** More takes too long; it stays readable without colours. */
const MAX_CHARACTERS = 40_000
const KEPT = 100

/** The newest results: rows of a long list come and go. */
const results = new Map<string, string | null>()

/** HTML whose text is the code, character for character; null for a language it does not know. */
export function highlighted(code: string, language: string): string | null {
  if (code.length > MAX_CHARACTERS || !highlighter.getLanguage(language)) return null
  const key = `${language}\n${code}`
  const known = results.get(key)
  if (known !== undefined) return known
  const html = highlighter.highlight(code, { language, ignoreIllegals: true }).value
  results.set(key, html)
  const [oldest] = results.keys()
  if (results.size > KEPT && oldest !== undefined) results.delete(oldest)
  return html
}
