import type { ToolDefinition } from '../../protocol/tools'

export const MULTI_CHOICE: ToolDefinition = {
  name: 'multi_choice',
  type: 'action',
  version: '1',
  description:
    "Ask the human to choose any number of several options. It appears on all of their devices and waits until one answers or the call's time is over. They can add words, or answer with words alone.",
  interactive: true,
  inputSchema: {
    type: 'object',
    properties: {
      question: { type: 'string', minLength: 1, maxLength: 4000, description: 'The question; markdown' },
      options: {
        type: 'array',
        items: { type: 'string', minLength: 1, maxLength: 400 },
        minItems: 1,
        maxItems: 50,
        description: 'What to choose from; no two alike',
      },
    },
    required: ['question', 'options'],
  },
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
