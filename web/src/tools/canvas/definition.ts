import type { ActionDefinition, ToolDefinition } from '../../protocol/tools'

const instance = { instance_id: { type: 'string', maxLength: 128, description: 'The canvas, as open returned it' } }
const message = { message: { type: 'string' } }

function input(properties: object, required: readonly string[]): ActionDefinition['inputSchema'] {
  return { type: 'object', properties, required, additionalProperties: false }
}

const strokes = {
  type: 'object',
  properties: {
    ...message,
    instance_id: { type: 'string' },
    strokes: { type: 'integer', description: 'How many strokes are on the canvas now' },
  },
  required: ['message', 'instance_id', 'strokes'],
}

function onInstance(name: string, description: string, hints: ActionDefinition['hints']): ActionDefinition {
  return {
    ...{ name, description, hints: { ...hints } },
    inputSchema: input(instance, ['instance_id']),
    resultSchema: strokes,
  }
}

export const CANVAS: ToolDefinition = {
  name: 'canvas',
  type: 'app',
  version: '2',
  description:
    'A white canvas on one of the human’s devices. Open it, draw SVG paths on it, and look at it with snapshot. The human sees every stroke at once and can draw on it too; snapshot then has their strokes as well.',
  actions: [
    {
      name: 'open',
      description: 'Opens a canvas and returns its instance_id for all other actions. (0, 0) is the top left corner.',
      inputSchema: input(
        {
          width: { type: 'integer', minimum: 16, maximum: 4096, description: 'Width in pixels' },
          height: { type: 'integer', minimum: 16, maximum: 4096, description: 'Height in pixels' },
        },
        ['width', 'height'],
      ),
      resultSchema: strokes,
    },
    {
      name: 'draw',
      description: 'Draws one SVG path as a line; it is not filled.',
      inputSchema: input(
        {
          ...instance,
          path: { type: 'string', minLength: 1, maxLength: 100_000, description: 'SVG path data, for example "M10 10 L90 90"' },
          color: {
            type: 'string',
            maxLength: 32,
            description: 'CSS colour: a name, #rgb, #rrggbb, rgb() or rgba(); dark ink by default',
          },
          width: { type: 'integer', minimum: 1, maximum: 200, description: 'Width of the line in pixels; 3 by default' },
        },
        ['instance_id', 'path'],
      ),
      resultSchema: strokes,
    },
    onInstance('undo', 'Takes back your last stroke; the human’s strokes stay.', {}),
    onInstance('clear', 'Removes all strokes, the human’s too.', { destructive: true, idempotent: true }),
    {
      name: 'snapshot',
      description: 'Returns the canvas as a PNG picture, and the strokes that the human drew as SVG paths.',
      hints: { read_only: true, idempotent: true },
      inputSchema: input(instance, ['instance_id']),
      resultSchema: {
        type: 'object',
        properties: {
          ...strokes.properties,
          width: { type: 'integer' },
          height: { type: 'integer' },
          human_strokes: {
            type: 'array',
            description: 'At most the last 100',
            items: {
              type: 'object',
              properties: { path: { type: 'string' }, color: { type: 'string' }, width: { type: 'number' } },
              required: ['path', 'color', 'width'],
            },
          },
        },
        required: [...strokes.required, 'width', 'height', 'human_strokes'],
      },
    },
    onInstance('close', 'Closes the canvas; what is on it is gone.', { destructive: true, idempotent: true }),
  ],
}
