import type { Plugin } from 'vite'

/**
 * What of mermaid is left out: a layout that only options could choose (they are ignored), formulas
 * (they would be HTML inside of the drawing), and kinds that agents hardly ever write. With them the
 * release would be half as large again.
 */
const LEFT_OUT =
  /(?:^|\/)(?:katex$|(?:elk|swimlanes|bpmnIcons|(?:abnf|architecture|cynefin|ebnf|ishikawa|peg|railroad|swimlanes|usecase|venn|wardley)Diagram)-[^/]*\.mjs$)/
const INSTEAD = '\0lineup:left-out'

/** Puts a module that says so in the place of what is left out of mermaid. */
export function diagrams(): Plugin {
  return {
    name: 'lineup:diagrams',
    enforce: 'pre',
    resolveId(source, importer) {
      return importer?.includes('/mermaid/dist/') && LEFT_OUT.test(source) ? INSTEAD : null
    },
    load(id) {
      return id === INSTEAD
        ? "throw new Error('this kind is not drawn here'); export const [diagram, render] = []; export default null"
        : null
    },
  }
}
