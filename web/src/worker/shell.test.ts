import { beforeEach, describe, expect, test, vi } from 'vitest'

import { ShellCache, shellName, type Shell } from './shell'

const SCOPE = 'https://relay.test/lineup/'
const NAMES = new Set(['index.html', 'assets/start-1.js', 'assets/late-1.js'])
const SHELL: Shell = { version: 'one', first: ['index.html', 'assets/start-1.js'], later: ['assets/late-1.js'] }

function get(path: string, mode = 'cors') {
  return { method: 'GET', mode, url: new URL(path, SCOPE).href }
}

/** As much of a browser's caches as the worker uses. */
class FakeCaches {
  readonly stored = new Map<string, Map<string, Response>>()

  open(name: string): Promise<Cache> {
    const files = this.stored.get(name) ?? new Map<string, Response>()
    this.stored.set(name, files)
    const cache = {
      match: (url: string) => Promise.resolve(files.get(url)?.clone()),
      put: (url: string, response: Response) => {
        files.set(url, response)
        return Promise.resolve()
      },
    }
    return Promise.resolve(cache as unknown as Cache)
  }

  keys(): Promise<string[]> {
    return Promise.resolve([...this.stored.keys()])
  }

  delete(name: string): Promise<boolean> {
    return Promise.resolve(this.stored.delete(name))
  }

  match(url: string): Promise<Response | undefined> {
    return Promise.resolve([...this.stored.values()].map((files) => files.get(url)).find(Boolean)?.clone())
  }
}

describe('what is answered from the shell', () => {
  test.each([
    ['', 'navigate', 'index.html'],
    ['?token=secret', 'navigate', 'index.html'],
    ['index.html', 'navigate', 'index.html'],
    ['assets/start-1.js', 'cors', 'assets/start-1.js'],
  ])('%s (%s) is %s', (path, mode, name) => {
    expect(shellName(get(path, mode), SCOPE, NAMES)).toBe(name)
  })

  test.each([
    ['files/room/abc?sig=1', 'cors'],
    ['files/room/abc', 'navigate'],
    ['miniapps/clock/index.html', 'navigate'],
    ['ws', 'websocket'],
    ['health', 'cors'],
    ['assets/unknown-1.js', 'cors'],
    ['assets/start-1.js?x=1', 'cors'],
    ['../index.html', 'navigate'],
    ['https://elsewhere.test/lineup/assets/start-1.js', 'cors'],
  ])('%s (%s) is left to the network', (path, mode) => {
    expect(shellName(get(path, mode), SCOPE, NAMES)).toBeNull()
  })

  test('nothing that changes anything is answered', () => {
    expect(shellName({ ...get('assets/start-1.js'), method: 'POST' }, SCOPE, NAMES)).toBeNull()
  })
})

describe('the kept files', () => {
  let caches = new FakeCaches()
  const fetched = vi.fn<(url: string) => Promise<Response>>()
  const cacheOf = (shell: Shell) => new ShellCache(shell, { caches, fetch: fetched, scope: SCOPE })

  beforeEach(() => {
    caches = new FakeCaches()
    fetched.mockReset().mockImplementation((url) => Promise.resolve(new Response(url)))
  })

  test('are the first ones of the build after the installation, under names without a token', async () => {
    await cacheOf(SHELL).install()
    expect([...(caches.stored.get('lineup-shell-one')?.keys() ?? [])].sort()).toEqual([
      `${SCOPE}assets/start-1.js`,
      `${SCOPE}index.html`,
    ])
  })

  test('are not installed by halves', async () => {
    fetched.mockResolvedValue(new Response('', { status: 503 }))
    await expect(cacheOf(SHELL).install()).rejects.toThrow('503')
  })

  test('answer without the network, for an address with a token too', async () => {
    const cache = cacheOf(SHELL)
    await cache.install()
    fetched.mockRejectedValue(new TypeError('offline'))
    const page = await cache.answer(get('?token=secret', 'navigate'))
    await expect(page?.text()).resolves.toBe(`${SCOPE}index.html`)
    expect([...(caches.stored.get('lineup-shell-one')?.keys() ?? [])].join()).not.toContain('secret')
  })

  test('grow by a large part when it is used', async () => {
    const cache = cacheOf(SHELL)
    await cache.answer(get('assets/late-1.js'))
    fetched.mockRejectedValue(new TypeError('offline'))
    await expect((await cache.answer(get('assets/late-1.js')))?.text()).resolves.toContain('late-1.js')
  })

  test('never hold a message, a file or an unknown name', async () => {
    const cache = cacheOf(SHELL)
    expect(cache.answer(get('files/room/abc'))).toBeNull()
    await cache.answer(get('assets/unknown-1.js'))
    expect([...caches.stored.values()].flatMap((files) => [...files.keys()])).toEqual([])
  })

  test('of the last build stay for pages that are still open, older ones go', async () => {
    const next = { ...SHELL, version: 'two', first: ['index.html', 'assets/start-2.js'], later: [] }
    await cacheOf({ ...SHELL, version: 'zero' }).install()
    await cacheOf(SHELL).install()
    const cache = cacheOf(next)
    await cache.install()
    await cache.activate()
    expect(await caches.keys()).toEqual(['lineup-shell-one', 'lineup-shell-two'])
    fetched.mockRejectedValue(new TypeError('gone'))
    await expect((await cache.answer(get('assets/start-1.js')))?.text()).resolves.toContain('start-1.js')
  })

  test("leave other programs' caches alone", async () => {
    await caches.open('somebody-else')
    await cacheOf(SHELL).activate()
    expect(await caches.keys()).toEqual(['somebody-else'])
  })
})
