import type { CallFacts } from '../../protocol/tools'
import { ToolError, type ToolResult } from '../result'
import { calculate } from './actions'
import { isOperation } from './operators'

/** Runs one action of the calculator. */
export function runCalculator({ action, argumentsJson }: CallFacts): ToolResult {
  if (!isOperation(action)) throw new ToolError('unknown_tool', `calculator has no action ${action}`)
  const { value, exact } = calculate(action, argumentsJson)
  return { result: { message: exact ? value : `${value} (rounded)`, value, exact } }
}
