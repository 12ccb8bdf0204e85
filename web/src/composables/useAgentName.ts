import { useAgents } from '../stores/agents'

/** The name of an agent by its id; "" for one that nobody knows. */
export function useAgentName(): (id: string) => string {
  const agents = useAgents()
  return (id) => agents.facts.get(id)?.name ?? ''
}
