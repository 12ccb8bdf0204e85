import type { KnipConfig } from 'knip'

const config: KnipConfig = {
  entry: ['src/**/*.test.ts'],
  project: ['src/**/*.{ts,vue}'],
  ignore: ['src/proto/**'],
}

// eslint-disable-next-line import-x/no-default-export -- knip reads it so
export default config
