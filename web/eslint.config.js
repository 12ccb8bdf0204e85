import js from '@eslint/js'
import importX from 'eslint-plugin-import-x'
import vue from 'eslint-plugin-vue'
import globals from 'globals'
import ts from 'typescript-eslint'

const FRAMEWORK = ['vue', 'pinia', 'quasar', 'vue-router', 'vue-i18n']

/** Forbids framework packages, their subpaths and .vue files. */
const noFramework = (reason) => ({
  'no-restricted-imports': [
    'error',
    {
      patterns: [
        {
          regex: `^(?:${FRAMEWORK.join('|')})(?:/|$)|\\.vue$|(?:^|/)(?:stores|components|pages|layouts)/`,
          message: reason,
        },
      ],
    },
  ],
})

// eslint-disable-next-line import-x/no-default-export -- ESLint reads it so
export default ts.config(
  { ignores: ['src/proto/', 'coverage/', 'dist/'] },
  js.configs.recommended,
  ts.configs.strictTypeChecked,
  ts.configs.stylisticTypeChecked,
  vue.configs['flat/recommended'],
  {
    plugins: { 'import-x': importX },
    languageOptions: {
      parserOptions: {
        parser: ts.parser,
        projectService: true,
        extraFileExtensions: ['.vue'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      complexity: ['error', 10],
      eqeqeq: 'error',
      'no-console': 'error',
      'import-x/no-default-export': 'error',
      'import-x/no-duplicates': 'error',
      'import-x/order': ['error', { alphabetize: { order: 'asc' }, 'newlines-between': 'ignore' }],
      // vue-tsc knows every global; ESLint does not know TypeScript's.
      'no-undef': 'off',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    },
  },
  {
    files: ['**/*.vue'],
    rules: {
      'vue/block-lang': ['error', { script: { lang: 'ts' } }],
      'vue/block-order': ['error', { order: ['script', 'template', 'style'] }],
      'vue/component-api-style': ['error', ['script-setup']],
      'vue/define-emits-declaration': ['error', 'type-based'],
      'vue/define-props-declaration': ['error', 'type-based'],
      'vue/no-undef-components': ['error', { ignorePatterns: ['RouterView', 'RouterLink'] }],
      'vue/no-unused-refs': 'error',
      // Line breaks are the author's.
      'vue/max-attributes-per-line': 'off',
      'vue/singleline-html-element-content-newline': 'off',
      'vue/multiline-html-element-content-newline': 'off',
      'vue/html-self-closing': 'off',
    },
  },
  {
    files: ['src/**'],
    ignores: ['src/connection/**'],
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'WebSocket', message: 'Only connection/ may open a socket.' },
      ],
      'no-restricted-properties': [
        'error',
        { object: 'window', property: 'WebSocket', message: 'Only connection/ may open a socket.' },
        { object: 'globalThis', property: 'WebSocket', message: 'Only connection/ may open a socket.' },
      ],
    },
  },
  {
    files: ['src/protocol/**/*.ts', 'src/tools/*/actions*.ts', 'src/tools/*/actions/**/*.ts'],
    rules: noFramework('Rules and reducers are plain TypeScript: no framework, no stores.'),
  },
  {
    files: ['src/components/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '(?:^|/)(?:connection|proto)(?:/|$)',
              message: 'Components get view types by props and tell wishes by emits.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['src/**/*.test.ts'],
    rules: {
      // A mock's method is no method of a class.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    extends: [ts.configs.disableTypeChecked],
    languageOptions: { globals: globals.node },
    rules: { 'no-console': 'off' },
  },
)
