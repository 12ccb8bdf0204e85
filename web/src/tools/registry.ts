/** The tools that ship with the page. */
import type { ToolDefinition } from '../protocol/tools'
import { CALCULATOR } from './calculator/definition'
import { CANVAS } from './canvas/definition'
import { CHOICE } from './choice/definition'
import { CONFIRM } from './confirm/definition'
import type { Runner } from './desk'
import { INPUT } from './input/definition'
import { MULTI_CHOICE } from './multi_choice/definition'
import { ToolError } from './result'

export const PAGE_TOOLS: readonly ToolDefinition[] = [CHOICE, MULTI_CHOICE, CONFIRM, INPUT, CANVAS, CALCULATOR]

/** Runs a call of one of them that no human answers. */
export const runPageTool: Runner = async (call) => {
  switch (call.name) {
    case 'calculator': {
      const { runCalculator } = await import('./calculator/run')
      return runCalculator(call)
    }
    case 'canvas': {
      const { runCanvas } = await import('./canvas/run')
      return runCanvas(call)
    }
    default:
      // A question that could not be shown comes here too.
      throw PAGE_TOOLS.some(({ name }) => name === call.name)
        ? new ToolError('invalid_argument', `the arguments make no question`)
        : new ToolError('unknown_tool', `this page has no tool ${call.name}`)
  }
}
