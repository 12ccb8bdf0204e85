import type { ActionDefinition, ToolDefinition } from '../../protocol/tools'

const inputSchema = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
  additionalProperties: false,
}
const resultSchema = {
  type: 'object',
  properties: {
    message: { type: 'string', description: 'The value as decimal text' },
    value: { type: 'string', description: 'The same' },
    exact: { type: 'boolean', description: 'False if the value was rounded to 40 decimal places' },
  },
  required: ['message', 'value', 'exact'],
}

function action(name: string, description: string): ActionDefinition {
  return { name, description, inputSchema, resultSchema, hints: { read_only: true, idempotent: true } }
}

export const CALCULATOR: ToolDefinition = {
  name: 'calculator',
  type: 'toolset',
  version: '2',
  description:
    'Basic arithmetic on decimal numbers, without the rounding of binary floating point: 0.1 + 0.2 is 0.3. Stateless, every call is independent.',
  actions: [
    action('add', 'Adds two numbers: a + b'),
    action('subtract', 'Subtracts: a - b'),
    action('multiply', 'Multiplies two numbers: a × b'),
    action('divide', 'Divides: a ÷ b, rounded to 40 decimal places; dividing by zero is an error'),
  ],
}
