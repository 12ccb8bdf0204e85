/** The list of MiniApps as the relay has it. */
import type { ApplicationDefinition, ToolDefinition } from './tools'

export interface MiniApp extends ApplicationDefinition {
  /** Its start page, relative to the page; always below `miniapps/`. */
  readonly src: string
}

const ID = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/
const ENTRY = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/

/** What can be read of it; an entry that is none is left out. */
export function parseMiniApps(value: unknown): MiniApp[] {
  const list: unknown = isObject(value) ? value.miniapps : null
  return Array.isArray(list) ? list.flatMap(miniAppOf) : []
}

function miniAppOf(value: unknown): MiniApp[] {
  if (!isObject(value)) return []
  const { id, version, title, entry, tools } = value
  if (typeof id !== 'string' || !ID.test(id) || typeof entry !== 'string' || !ENTRY.test(entry)) return []
  if (typeof version !== 'string' || typeof title !== 'string' || !Array.isArray(tools)) return []
  // The relay has checked the definitions; it checks them again when they are announced.
  return [{ id, version, title: title || id, tools: tools as ToolDefinition[], src: `miniapps/${id}/${entry}` }]
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
