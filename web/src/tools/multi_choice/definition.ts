import type { ToolDefinition } from '../../protocol/tools'
import { OPTIONS_INPUT } from '../optionsInput'

export const MULTI_CHOICE: ToolDefinition = {
  name: 'multi_choice',
  type: 'action',
  version: '2',
  description:
    "Ask the human to choose one or several of the options. It appears on all of their devices and waits until one answers or the call's time is over. They can add words, or answer with words alone.",
  interactive: true,
  inputSchema: OPTIONS_INPUT,
  resultSchema: {
    type: 'object',
    properties: {
      message: { type: 'string', description: 'The answer as text, one option a line' },
      choices: { type: 'array', items: { type: 'string' }, description: 'The chosen options, in the order given' },
      other: { type: 'string', description: 'What the human wrote beside them' },
    },
    required: ['message', 'choices'],
  },
}
