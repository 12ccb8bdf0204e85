import type { KnipConfig } from 'knip'

const config: KnipConfig = {
  entry: ['src/**/*.test.ts'],
  project: ['src/**/*.{ts,vue}'],
  ignore: ['src/proto/**'],
  // Used by scripts/generate.py.
  ignoreDependencies: ['@bufbuild/protoc-gen-es'],
}

// eslint-disable-next-line import-x/no-default-export -- knip reads it so
export default config
