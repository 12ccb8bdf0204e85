import type { ToolDefinition } from '../../protocol/tools'
import { OPTIONS_INPUT } from '../optionsInput'

export const CHOICE: ToolDefinition = {
  name: 'choice',
  type: 'action',
  version: '2',
  description:
    "Ask the human to choose one of several options. It appears on all of their devices and waits until one answers or the call's time is over. They can always answer in words instead: then `choice` is missing and `other` has the words.",
  interactive: true,
  inputSchema: OPTIONS_INPUT,
  resultSchema: {
    type: 'object',
    properties: {
      message: { type: 'string', description: 'The answer as text' },
      choice: { type: 'string', description: 'The chosen option' },
      index: { type: 'integer', description: 'Its place among the options, from 0' },
      other: { type: 'string', description: 'What the human wrote, instead of or beside the option' },
    },
    required: ['message'],
  },
}
