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

function shown(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
