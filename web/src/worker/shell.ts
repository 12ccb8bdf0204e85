/** What of the page's own files this browser keeps, so that it opens without the relay. */

export interface Shell {
  /** Of the build; another build, another cache. */
  readonly version: string
  /** Kept as soon as the worker is installed. */
  readonly first: readonly string[]
  /** Kept when they are used for the first time. */
  readonly later: readonly string[]
}

/** Where the page itself is kept; its address may have a token in it, its key never has. */
const PAGE = 'index.html'

interface Asked {
  readonly method: string
  readonly mode: string
  readonly url: string
}

/**
 * The name of the kept file that answers a request; null leaves it to the network. Only names that
 * the build listed are kept: never a message, a file of the room, a MiniApp or a token.
 */
export function shellName({ method, mode, url }: Asked, scope: string, names: ReadonlySet<string>): string | null {
  const [asked, home] = [new URL(url), new URL(scope)]
  if (method !== 'GET' || asked.origin !== home.origin || !asked.pathname.startsWith(home.pathname)) return null
  const name = asked.pathname.slice(home.pathname.length)
  if (mode === 'navigate') return name === '' || name === PAGE ? PAGE : null
  return asked.search === '' && names.has(name) ? name : null
}

const PREFIX = 'lineup-shell-'

/** What the worker uses of its surroundings; tests pass their own. */
export interface Surroundings {
  readonly caches: Pick<CacheStorage, 'open' | 'keys' | 'delete' | 'match'>
  readonly fetch: (url: string) => Promise<Response>
  /** The folder that the page is served from, with a slash at its end. */
  readonly scope: string
}

/** The kept files of one build. */
export class ShellCache {
  readonly #shell: Shell
  readonly #around: Surroundings
  readonly #names: ReadonlySet<string>

  constructor(shell: Shell, around: Surroundings) {
    this.#shell = shell
    this.#around = around
    this.#names = new Set([...shell.first, ...shell.later])
  }

  /** Keeps the shell: all of it, or the worker is not installed and the browser tries again later. */
  async install(): Promise<void> {
    const cache = await this.#around.caches.open(PREFIX + this.#shell.version)
    await Promise.all(
      this.#shell.first.map(async (name) => {
        const response = await this.#around.fetch(this.#address(name))
        if (!response.ok) throw new Error(`${name}: ${response.status}`)
        await cache.put(this.#address(name), response)
      }),
    )
  }

  /** Forgets older builds but the last: its pages may still be open. */
  async activate(): Promise<void> {
    const mine = PREFIX + this.#shell.version
    const others = (await this.#around.caches.keys()).filter((key) => key.startsWith(PREFIX) && key !== mine)
    await Promise.all(others.slice(0, -1).map((key) => this.#around.caches.delete(key)))
  }

  /** The answer to a request, or null for everything that is the network's. */
  answer(asked: Asked): Promise<Response> | null {
    const name = shellName(asked, this.#around.scope, this.#names)
    if (name !== null) return this.#file(name)
    return this.#isOfAnOlderBuild(asked) ? this.#keptOrNetwork(asked.url) : null
  }

  async #file(name: string): Promise<Response> {
    const address = this.#address(name)
    const cache = await this.#around.caches.open(PREFIX + this.#shell.version)
    const kept = await cache.match(address)
    if (kept) return kept
    const response = await this.#around.fetch(address)
    if (response.ok) await cache.put(address, response.clone())
    return response
  }

  /** Names of such files change with what is in them, so one that is kept is the right one. */
  #isOfAnOlderBuild({ method, url }: Asked): boolean {
    return method === 'GET' && url.startsWith(`${this.#around.scope}assets/`)
  }

  async #keptOrNetwork(url: string): Promise<Response> {
    return (await this.#around.caches.match(url)) ?? this.#around.fetch(url)
  }

  #address(name: string): string {
    return new URL(name, this.#around.scope).href
  }
}
