import type { ToolDefinition } from '../../protocol/tools'

export const CONFIRM: ToolDefinition = {
  name: 'confirm',
  type: 'action',
  version: '2',
  description:
    "Ask the human a question that is answered with yes or no. It appears on all of their devices and waits until one answers or the call's time is over. `confirmed` is true only if they said yes; an answer in words alone confirms nothing.",
  interactive: true,
  inputSchema: {
    type: 'object',
    properties: {
      question: { type: 'string', minLength: 1, maxLength: 4000, description: 'The question; markdown' },
      yes: { type: 'string', minLength: 1, maxLength: 80, description: 'Words for yes, for example "Delete them"' },
      no: { type: 'string', minLength: 1, maxLength: 80, description: 'Words for no, for example "Keep them"' },
    },
    required: ['question'],
    additionalProperties: false,
  },
  resultSchema: {
    type: 'object',
    properties: {
      message: { type: 'string', description: 'The answer as text' },
      confirmed: { type: 'boolean', description: 'The human said yes' },
      other: { type: 'string', description: 'What the human wrote, instead of or beside yes or no' },
    },
    required: ['message', 'confirmed'],
  },
}
