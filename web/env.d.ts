/// <reference types="vite/client" />

// For ESLint, which cannot read .vue files; vue-tsc takes the real types instead.
declare module '*.vue' {
  import type { DefineComponent } from 'vue'

  const component: DefineComponent
  // eslint-disable-next-line import-x/no-default-export -- what such files export
  export default component
}

/** The distribution's version, set by vite.config.ts. */
declare const __APP_VERSION__: string
