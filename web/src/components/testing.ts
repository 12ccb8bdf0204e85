import { mount, type DOMWrapper, type VueWrapper } from '@vue/test-utils'
import { createPinia } from 'pinia'
import type { Component } from 'vue'

import { i18n } from '../i18n'
import { compiled } from '../i18n/compile'
import { late } from '../i18n/en/late'

i18n.global.mergeLocaleMessage('en', compiled(late))

/** Mounts a component as the page does, into the document so that focus works. */
export function show(component: Component, props: Record<string, unknown>): VueWrapper {
  const wrapper = mount(component, {
    props,
    attachTo: document.body,
    global: { plugins: [createPinia(), i18n] },
  })
  return wrapper as VueWrapper
}

interface Named {
  readonly name: string
}

const SELECTORS: Readonly<Record<string, string>> = {
  button: 'button',
  radio: 'input[type=radio]',
  checkbox: 'input[type=checkbox]',
  textbox: 'textarea, input[type=text]',
  status: '[role=status]',
}

function nameOf(element: Element): string {
  return (element.getAttribute('aria-label') ?? element.textContent).trim()
}

/** The one element with this role and name. */
export function byRole(wrapper: VueWrapper, role: keyof typeof SELECTORS, { name }: Named): DOMWrapper<Element> {
  const found = wrapper.findAll(SELECTORS[role] ?? role).filter((item) => nameOf(item.element) === name)
  const [first] = found
  if (!first || found.length > 1) {
    throw new Error(`${found.length} × ${role} "${name}" in ${wrapper.html()}`)
  }
  return first
}
