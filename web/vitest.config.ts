import { defineConfig, mergeConfig } from 'vitest/config'

import viteConfig from './vite.config.ts'

// eslint-disable-next-line import-x/no-default-export -- Vitest reads it so
export default mergeConfig(
  viteConfig,
  defineConfig({
    // The samples of the wire are written by the relay's tests.
    server: { fs: { allow: ['.', '../tests/golden/wire', '../tests/golden/envelope'] } },
    test: {
      environment: 'jsdom',
      include: ['src/**/*.test.ts', 'scripts/**/*.test.ts'],
      setupFiles: ['./vitest.setup.ts'],
      // Its colours are tested.
      css: { include: [/tokens\.css/] },
      restoreMocks: true,
      unstubGlobals: true,
      passWithNoTests: false,
      testTimeout: 10_000,
    },
  }),
)
