import { argumentsOf } from '../../protocol/tools'

export const OPERATORS = { add: '+', subtract: '−', multiply: '×', divide: '÷' } as const
export type Operation = keyof typeof OPERATORS

export function isOperation(name: string): name is Operation {
  return Object.hasOwn(OPERATORS, name)
}

/** Arguments whose numbers are texts, as they were written: JavaScript would round them. */
export function exactArguments(json: string): ReturnType<typeof argumentsOf> {
  const quoted = json.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) =>
    token.startsWith('"') ? token : `"${token}"`,
  )
  return argumentsOf(quoted)
}
