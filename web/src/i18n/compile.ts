import type { MessageContext, MessageFunction } from 'vue-i18n'

type Text = MessageFunction

/** Texts by area and name. */
export interface Texts { readonly [key: string]: string | Texts }

export type Compiled<T> = { [K in keyof T]: T[K] extends string ? Text : Compiled<T[K]> }

/**
 * Makes texts ready for use: `{name}` stands for a value, ` | ` divides the forms for a number. Ours use nothing
 * else; vue-i18n's own compiler, which knows more, is a third of its size.
 */
export function compiled<T extends Texts>(texts: T): Compiled<T> {
  const entries = Object.entries(texts).map(([key, value]) => [key, typeof value === 'string' ? textOf(value) : compiled(value)])
  return Object.fromEntries(entries) as Compiled<T>
}

function textOf(source: string): Text {
  const forms = source.split(' | ')
  return (context: MessageContext) => {
    const form = forms.length > 1 ? context.plural(forms) : source
    return form.replaceAll(/\{(\w+)\}/g, (_place, name: string) => shown(context.named(name)))
  }
}

/** Letters that run from right to left, and the marks that turn what follows them. */
const TURNING = /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
const ISOLATES = /[\u2066-\u2069]/g

/** A value as text. One that would turn the sentence around it is isolated; its own marks cannot end that. */
function shown(value: unknown): string {
  if (typeof value !== 'string') return typeof value === 'number' ? String(value) : ''
  return TURNING.test(value) ? `\u2068${value.replaceAll(ISOLATES, '')}\u2069` : value
}
