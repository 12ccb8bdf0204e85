import type { ToolDefinition } from '../../protocol/tools'

export const INPUT: ToolDefinition = {
  name: 'input',
  type: 'action',
  version: '2',
  description:
    'Ask the human for text: one line, several lines, or a secret such as a password, which is typed hidden and stored nowhere on their devices. It appears on all of their devices and waits until one answers or the call\'s time is over.',
  interactive: true,
  inputSchema: {
    type: 'object',
    properties: {
      question: { type: 'string', minLength: 1, maxLength: 4000, description: 'What is asked for; markdown' },
      multiline: { type: 'boolean', default: false, description: 'Several lines' },
      secret: {
        type: 'boolean',
        default: false,
        description: 'A password or key: typed hidden, on no device afterwards, in no log',
      },
      placeholder: { type: 'string', maxLength: 120, description: 'An example, shown while nothing is typed' },
    },
    required: ['question'],
    additionalProperties: false,
  },
  resultSchema: {
    type: 'object',
    properties: { message: { type: 'string', description: 'What was typed' } },
    required: ['message'],
  },
}
