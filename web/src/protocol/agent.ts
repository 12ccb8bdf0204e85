import type { AgentFacts } from './view'

interface AgentFields {
  readonly id: string
  readonly name: string
  readonly client: string
  readonly directory: string
  readonly model: string
  readonly machine: string
  readonly machineName: string
}

/** Builds what the page shows of an agent from the fields of a request. */
export function agentFacts(fields: AgentFields): AgentFacts {
  const name = fields.name.trim() || titleOf(fields.client)
  const project = projectName(fields.directory)
  return {
    id: fields.id,
    key: [fields.machine, fields.client || name, fields.directory].join('\n'),
    name: name || 'Agent',
    client: fields.client,
    project,
    directory: fields.directory,
    model: fields.model,
    machine: fields.machineName,
  }
}

/** Programs whose own name says nothing to a reader. */
const PROGRAMS: Readonly<Record<string, string>> = { 'lineup-mcp': 'Command line' }

/** "claude-code" → "Claude Code". */
function titleOf(client: string): string {
  if (Object.hasOwn(PROGRAMS, client)) return PROGRAMS[client] ?? ''
  return client
    .split(/[-_\s]+/)
    .filter(Boolean)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')
}

/** The last part of a path, with either kind of slash. */
export function projectName(directory: string): string {
  return (
    directory
      .split(/[/\\]/)
      .filter(Boolean)
      .at(-1) ?? ''
  )
}

/** Two letters for the square: the initials of two words, else the first two letters. */
export function monogram(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
  const [first = '?', second] = words
  const letters = second ? `${take(first, 1)}${take(second, 1)}` : take(first, 2)
  return letters.toUpperCase()
}

function take(word: string, count: number): string {
  return Array.from(word).slice(0, count).join('')
}

/** One of the six hues, the same for the same name everywhere. */
export function hueOf(name: string): number {
  // With this start the usual agent programs get six different hues between them.
  let hash = 170
  for (const character of name.toLowerCase()) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16777619) >>> 0
  }
  return ((hash >>> 16) % 6) + 1
}
