import type { KnipConfig } from 'knip'

const config: KnipConfig = {
  // The bundler puts the second one in the place of a package.
  entry: ['src/**/*.test.ts', 'src/protocol/entities.ts'],
  project: ['src/**/*.{ts,vue}'],
  ignore: ['src/proto/**'],
}

// eslint-disable-next-line import-x/no-default-export -- knip reads it so
export default config
