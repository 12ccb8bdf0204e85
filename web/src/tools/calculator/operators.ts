export const OPERATORS = { add: '+', subtract: '−', multiply: '×', divide: '÷' } as const
export type Operation = keyof typeof OPERATORS

export function isOperation(name: string): name is Operation {
  return Object.hasOwn(OPERATORS, name)
}
