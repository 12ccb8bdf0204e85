/** What the tools that choose from options are called with. */
export const OPTIONS_INPUT = {
  type: 'object',
  properties: {
    question: { type: 'string', minLength: 1, maxLength: 4000, description: 'The question; markdown' },
    options: {
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: 400 },
      minItems: 1,
      maxItems: 50,
      uniqueItems: true,
      description: 'What to choose from; no two alike',
    },
  },
  required: ['question', 'options'],
  additionalProperties: false,
}
