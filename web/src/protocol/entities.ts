/**
 * Takes the place of the package `entities` that markdown-it asks for: the browser has the table of
 * names itself, and 10 kB of it need not be loaded.
 */
const NAMED = /^&[a-z][a-z0-9]{1,31};$/i

let area: HTMLTextAreaElement | undefined

/** "&copy;" → "©"; what is no name of a character stays as it is. */
export function decodeHTMLStrict(text: string): string {
  if (!NAMED.test(text)) return text
  area ??= document.createElement('textarea')
  area.innerHTML = text
  return area.value
}
