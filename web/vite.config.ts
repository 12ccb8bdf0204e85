import { fileURLToPath } from 'node:url'
import { quasar } from '@quasar/vite-plugin'
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vite'

import { precompress } from './scripts/precompress.ts'

// eslint-disable-next-line import-x/no-default-export -- Vite reads it so
export default defineConfig({
  // Relative: the page also works under a path prefix, behind somebody's proxy.
  base: './',
  plugins: [vue(), quasar(), precompress()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  define: { __VUE_OPTIONS_API__: 'true', __INTLIFY_JIT_COMPILATION__: 'true' },
  build: {
    outDir: '../lineup_srv/page',
    emptyOutDir: true,
    target: ['es2022', 'safari16.4', 'chrome111', 'firefox115'],
    // The size check finds in it what the first load fetches.
    manifest: true,
    // Inlined files would need data: in the CSP.
    assetsInlineLimit: 0,
    // Its polyfill would be an inline script for some entries; all our browsers preload modules.
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/ws': { target: 'ws://127.0.0.1:22080', ws: true } } },
})
