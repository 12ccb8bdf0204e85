import { useI18n } from 'vue-i18n'

import type { OpenTool } from '../stores/openTools'
import { useAgentName } from './useAgentName'

/** What tools in use are called, and by what else they can be told apart. */
export function useToolName() {
  const { t } = useI18n()
  const agentName = useAgentName()

  function toolName({ title, number }: Pick<OpenTool, 'title' | 'number'>): string {
    const name = title || t('tools.canvas')
    return number > 1 ? `${name} ${number}` : name
  }

  function toolHint({ agentId, size, isStopped }: OpenTool): string {
    return [isStopped ? t('tools.stopped') : '', agentId ? t('tools.opened_by', { agent: agentName(agentId) }) : t('tools.opened_here'), size].filter(Boolean).join(' · ')
  }

  return { toolName, toolHint }
}
