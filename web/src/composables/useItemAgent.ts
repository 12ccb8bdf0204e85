import { agentFacts } from '../protocol/agent'
import type { TimelineRow } from '../protocol/timeline'
import type { AgentFacts } from '../protocol/view'
import { useAgents } from '../stores/agents'

/** Who speaks in an entry, or who is spoken to; null: all. */
export function useItemAgent(): (item: TimelineRow) => AgentFacts | null {
  const agents = useAgents()

  return (item) => {
    if (item.type === 'request') return item.request.agent
    const id = idOf(item)
    const known = agents.facts.get(id)
    if (known) return known
    if (item.type === 'text' && item.text.byHuman && !id) return null
    const name = item.type === 'text' && !item.text.byHuman ? item.text.from : ''
    return agentFacts({ id, name, client: '', directory: '', model: '', machine: '', machineName: '' })
  }
}

function idOf(item: Exclude<TimelineRow, { type: 'request' }>): string {
  if (item.type === 'calls') return item.agentId
  return item.type === 'text' ? item.text.agentId : item.shown.agentId
}
