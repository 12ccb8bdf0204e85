import { fileURLToPath } from 'node:url'
import type { Rolldown } from 'vite'

type Graph = Rolldown.ChunkingContext

const ENTRY = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const PAGE = fileURLToPath(new URL('../src/boot/start.ts', import.meta.url))

/**
 * Puts what the first load fetches into one file. The bundler would cut it by who else needs each part, into over
 * thirty, which are 8 kB larger together. What the entry needs stays there: it takes the token out of the address
 * bar before it fetches the page.
 */
export function firstLoad(): Rolldown.CodeSplittingGroup {
  let members: ReadonlySet<string> | undefined
  return {
    debugName: 'first load',
    name: (id, graph) => {
      members ??= membersOf(graph)
      return members.has(id) ? 'page' : null
    },
    includeDependenciesRecursively: false,
  }
}

function membersOf(graph: Graph): ReadonlySet<string> {
  const ofEntry = staticallyBelow(ENTRY, graph)
  return new Set([...staticallyBelow(PAGE, graph)].filter((id) => !ofEntry.has(id)))
}

/** A module and all that it imports before it runs. */
function staticallyBelow(root: string, graph: Graph): Set<string> {
  const found = new Set<string>()
  const visit = (id: string): void => {
    if (found.has(id)) return
    found.add(id)
    graph.getModuleInfo(id)?.importedIds.forEach(visit)
  }
  visit(root)
  return found
}
