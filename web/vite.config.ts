import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { quasar } from '@quasar/vite-plugin'
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vite'

import { diagrams } from './scripts/diagrams.ts'
import { firstLoad } from './scripts/firstLoad.ts'
import { licences } from './scripts/licences.ts'
import { precompress } from './scripts/precompress.ts'
import { worker } from './scripts/worker.ts'

/** The distribution's version; the page shows it and tells it to the relay. */
function appVersion(): string {
  const source = readFileSync(new URL('../lineup_srv/__init__.py', import.meta.url), 'utf8')
  return /^__version__ = "(.+)"$/m.exec(source)?.[1] ?? '0'
}

// eslint-disable-next-line import-x/no-default-export -- Vite reads it so
export default defineConfig({
  // Relative: the page also works under a path prefix, behind somebody's proxy.
  base: './',
  plugins: [vue(), quasar(), diagrams(), licences(appVersion()), worker(), precompress()],
  resolve: {
    alias: {
      '@': fileURLToPath(new URL('./src', import.meta.url)),
      entities: fileURLToPath(new URL('./src/protocol/entities.ts', import.meta.url)),
    },
  },
  define: {
    __APP_VERSION__: JSON.stringify(appVersion()),
    __VUE_OPTIONS_API__: 'false',
    // vue-i18n without its old API and its compiler: src/i18n/compile.ts is in its place.
    __VUE_I18N_LEGACY_API__: 'false',
    __VUE_I18N_FULL_INSTALL__: 'false',
    __INTLIFY_PROD_DEVTOOLS__: 'false',
    __INTLIFY_DROP_MESSAGE_COMPILER__: 'true',
  },
  build: {
    // scripts/build.ts says where.
    emptyOutDir: true,
    target: ['es2022', 'safari16.4', 'chrome111', 'firefox115'],
    // The size check finds in it what the first load fetches.
    manifest: true,
    // Inlined files would need data: in the CSP.
    assetsInlineLimit: 0,
    // Its polyfill would be an inline script for some entries; all our browsers preload modules.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { index: 'index.html', sw: 'src/worker/sw.ts' },
      // A service worker rules over the folder that it lies in, and keeps its name.
      output: {
        entryFileNames: ({ name }) => (name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js'),
        codeSplitting: { groups: [firstLoad()] },
      },
    },
  },
  server: { proxy: { '/ws': { target: 'ws://127.0.0.1:22080', ws: true } } },
})
