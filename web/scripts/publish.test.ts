import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { publish } from './publish.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'publish-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function drafted(name: string): Promise<string> {
  const draft = join(folder, name)
  await mkdir(join(draft, 'assets'), { recursive: true })
  await writeFile(join(draft, 'index.html'), name)
  await writeFile(join(draft, 'assets', `${name}.js`), name)
  return draft
}

test('the first page comes to its place', async () => {
  await publish(await drafted('one'), join(folder, 'page'))
  expect(await readdir(folder)).toEqual(['page'])
})

test('a later page leaves nothing of the one before', async () => {
  const page = join(folder, 'page')
  await publish(await drafted('one'), page)
  await publish(await drafted('two'), page)
  expect(await readdir(folder)).toEqual(['page'])
  expect(await readdir(join(page, 'assets'))).toEqual(['two.js'])
})

test('of builds that end together one is there, whole', async () => {
  const page = join(folder, 'page')
  const drafts = await Promise.all(['one', 'two', 'three'].map(drafted))
  await Promise.all(drafts.map((draft) => publish(draft, page)))
  expect(await readdir(folder)).toEqual(['page'])
  const name = await readFile(join(page, 'index.html'), 'utf8')
  expect(await readdir(join(page, 'assets'))).toEqual([`${name}.js`])
})

test('a page that is not there to publish leaves the one before in its place', async () => {
  const page = join(folder, 'page')
  await publish(await drafted('one'), page)
  await expect(publish(join(folder, 'none'), page)).rejects.toThrow('ENOENT')
  expect(await readdir(page)).toContain('index.html')
})
