/**
 * What in a command deserves a second look. It helps to read, it does not protect: a command without
 * marks is not therefore harmless, and the page never says so.
 */

type RiskReason =
  | 'rights' | 'deletes' | 'overwrites' | 'discards' | 'skips' | 'runs' | 'database' | 'disk' | 'opens'
  | 'stops' | 'outside' | 'secrets' | 'hidden'

interface RiskPart {
  readonly text: string
  readonly isRisky: boolean
}

interface Risk {
  readonly parts: readonly RiskPart[]
  /** Each once, in the order of appearance. */
  readonly reasons: readonly RiskReason[]
}

const RULES: readonly (readonly [RiskReason, RegExp])[] = [
  ['rights', /(?<![\w./-])(?:sudo|doas|su)(?=\s)/g],
  ['deletes', /(?<![\w./-])(?:rm|rmdir|shred|unlink)(?=\s)(?:\s+-{1,2}[\w-]+)*|(?<=\s)-delete\b/g],
  ['overwrites', /(?<=\s)--force(?:-with-lease)?\b|(?<=\bgit\s+push\b[^;&|\n]*\s)(?:-f\b|\+?(?:main|master|production)\b)/g],
  ['discards', /\bgit\s+(?:reset\s+--hard|clean\s+-\w+|checkout\s+--|stash\s+(?:drop|clear)|branch\s+-D)/g],
  ['skips', /(?<=\s)(?:--no-verify|--insecure|--allow-unauthenticated)\b/g],
  ['runs', /\|\s*(?:sudo\s+)?(?:(?:ba|z|da|k|fi)?sh|python3?|node|perl|ruby)(?=\s|$|[;&)])|(?<![\w./-])eval(?=\s)/g],
  ['database', /\b(?:DROP|TRUNCATE)\s+(?:TABLE|DATABASE|SCHEMA|INDEX)\b|\bDELETE\s+FROM\b|\bFLUSH(?:ALL|DB)\b/gi],
  ['disk', /(?<![\w./-])(?:mkfs(?:\.\w+)?|fdisk|wipefs)(?=\s)|\bdd\s[^|;&\n]*\bof=\S+|>\s*\/dev\/(?!null\b|std|tty\b)\S+/g],
  ['opens', /\bchmod\s+(?:-R\s+)?(?:0?777|[ao]\+\w*w)|\bchown\s+-R\b/g],
  ['stops', /(?<![\w./-])(?:shutdown|reboot|poweroff|killall|pkill)\b|\bkill\s+-9\b/g],
  ['outside', /\b(?:npm|yarn|pnpm|cargo)\s+publish\b|\btwine\s+upload\b|\bdocker\s+push\b|\bterraform\s+(?:apply|destroy)\b|\bkubectl\s+delete\b/g],
  ['secrets', /(?:[\w~./-]*\/)?(?:\.ssh|\.aws|\.gnupg)\/\S*|(?<![\w-])\.env\b(?!\.example)|\bid_(?:rsa|ed25519)\b|\S+\.pem\b/g],
]

/** Characters that change how a line looks without being seen. */
// eslint-disable-next-line no-control-regex -- they are what it looks for
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

function shown(text: string): string {
  return text.replace(HIDDEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

interface Found {
  readonly from: number
  readonly to: number
  readonly reason: RiskReason
}

/** Splits a command into plain and risky parts; invisible characters become visible. */
export function riskOf(command: string): Risk {
  const found = [...RULES, ['hidden', HIDDEN] as const]
    .flatMap(([reason, rule]) =>
      [...command.matchAll(rule)].map((match) => ({ from: match.index, to: match.index + match[0].length, reason })),
    )
    .sort((a, b) => a.from - b.from)
  return { parts: partsOf(command, found), reasons: [...new Set(found.map(({ reason }) => reason))] }
}

function partsOf(command: string, found: readonly Found[]): RiskPart[] {
  const parts: RiskPart[] = []
  let at = 0
  const add = (to: number, isRisky: boolean) => {
    if (to > at) parts.push({ text: shown(command.slice(at, to)), isRisky })
    at = Math.max(at, to)
  }
  for (const { from, to } of found) {
    add(from, false)
    add(to, true)
  }
  add(command.length, false)
  return parts
}
