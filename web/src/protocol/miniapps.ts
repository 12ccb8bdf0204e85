/** The list of MiniApps as the relay has it. */
import type { ApplicationDefinition, ToolDefinition } from './tools'

export interface MiniApp extends ApplicationDefinition {
  /** Its start page, relative to the page; always below `miniapps/`. */
  readonly src: string
}

/** A folder that is no MiniApp, or one that goes without some of its tools. */
export interface RefusedMiniApp {
  readonly folder: string
  /** The MiniApp's id; "" for one that cannot be used at all. */
  readonly id: string
  /** What is wrong, for its author; the relay has `more` beside them. */
  readonly faults: readonly string[]
  readonly more: number
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

/** What the relay leaves out, and why. */
export function parseRefused(value: unknown): RefusedMiniApp[] {
  const list: unknown = isObject(value) ? value.refused : null
  return Array.isArray(list) ? list.flatMap(refusedOf) : []
}

function refusedOf(value: unknown): RefusedMiniApp[] {
  if (!isObject(value) || typeof value.folder !== 'string' || !Array.isArray(value.faults)) return []
  const { folder, id, more } = value
  const faults = value.faults.filter((fault): fault is string => typeof fault === 'string')
  return [{ folder, id: typeof id === 'string' ? id : '', faults, more: typeof more === 'number' ? more : 0 }]
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
