/** The one way from markdown to plain text: for excerpts, queues, announcements and notifications. */

const FENCE = /^\s*(?:>\s?)*(`{3,}|~{3,})/
const TABLE_RULE = /^\s*(?:>\s?)*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/
/** A line under a heading or between two parts. */
const LINE_RULE = /^\s*(?:=+|-{3,}|\*{3,}|_{3,})\s*$/
const LINE_MARKS = /^\s*(?:>\s?)*\s*(?:#{1,6}\s+|[-*+]\s+(?:\[[ xX]\]\s+)?)?/
const CODE_SPAN = /(?<!`)(`+)(?!`)([^`]+)\1(?!`)/g
/** No text has a meaning for it. */
const PLACE = '\uE000'
const PLACES = /\uE000(\d+)\uE000/g
/** Addresses may have brackets in pairs. No part may run over the start of the next link: hostile texts cost no time. */
const LINK = /!?\[([^[\]]*)\]\((?:<[^<>]*>|(?:[^\s()]|\([^\s()]*\))*)(?:\s+"[^"]*")?\s*\)/g
const AUTO_LINK = /<((?:https?:\/\/|mailto:)[^\s<>]+)>/g
const STARS = /(?<!\\)(\*{1,3}|~~)(?=[^\s*~])([^*~]*)(?<=[^\s\\])\1/g
const LOW_LINES = /(?<![\p{L}\p{N}_\\])(_{1,3})(?=[^\s_])([^_]*)(?<=[^\s\\])\1(?![\p{L}\p{N}_])/gu
const ESCAPED = /\\([!-/:-@[-`{-~])/g

/** A markdown text on one line as it reads: links are their words, tables their cells, and nothing else is lost. */
export function plainText(markdown: string): string {
  const lines = markdown.split('\n')
  const said: string[] = []
  let fence = ''
  let isTable = false
  for (const [index, line] of lines.entries()) {
    const mark = FENCE.exec(line)?.[1] ?? ''
    if (fence) {
      const isEnd = mark.startsWith(fence)
      if (isEnd) fence = ''
      else said.push(line)
      continue
    }
    fence = mark
    isTable = line.includes('|') && (isTable || isTableRule(lines[index + 1]))
    if (!mark) said.push(words(line, isTable))
  }
  return said.join(' ').replace(/\s+/g, ' ').trim()
}

function isTableRule(line = ''): boolean {
  return line.includes('|') && TABLE_RULE.test(line)
}

/** One line without its marks; what stands in code is put aside and comes back as it was. */
function words(line: string, isTable: boolean): string {
  if (LINE_RULE.test(line) || (isTable && isTableRule(line))) return ''
  const codes: string[] = []
  const said = line.replace(LINE_MARKS, '')
  const row = isTable ? said.trim().replace(/^\||(?<!\\)\|$/g, '').replace(/(?<!\\)\|/g, ' · ') : said
  const text = row.replace(CODE_SPAN, (_all, _marks, code: string) => `${PLACE}${codes.push(code) - 1}${PLACE}`)
  return withoutMarks(text).replace(PLACES, (all, at: string) => codes[Number(at)] ?? all)
}

function withoutMarks(text: string): string {
  const flat = text.replace(LINK, '$1').replace(AUTO_LINK, '$1')
  // Twice: one kind of emphasis may stand in another.
  return emphasized(emphasized(flat)).replace(ESCAPED, '$1')
}

function emphasized(text: string): string {
  return text.replace(STARS, '$2').replace(LOW_LINES, '$2')
}

/** Enough for a line. */
const LOOKED_AT = 2_000

/** The first words of a markdown text. */
export function plainLine(markdown: string): string {
  return plainText(markdown.slice(0, LOOKED_AT))
}
