import type { ToolControl } from './tools'

/** The tools are loaded after the first login; what is for them earlier waits. */
export class LazyTools {
  readonly #load: () => Promise<ToolControl>
  #tools: Promise<ToolControl> | null = null
  #loaded: ToolControl | null = null

  constructor(load: () => Promise<ToolControl>) {
    this.#load = load
  }

  /** Gives them to `use` as soon as they are there; without the relay they cannot be loaded. */
  with(use: (tools: ToolControl) => void): void {
    this.#tools ??= this.#start()
    void this.#tools.then(use, () => {
      // The next login loads them.
      this.#tools = null
    })
  }

  async #start(): Promise<ToolControl> {
    this.#loaded = await this.#load()
    return this.#loaded
  }

  /** Asks them at once; `otherwise` if they are not there. */
  ask<T>(question: (tools: ToolControl) => T, otherwise: T): T {
    return this.#loaded ? question(this.#loaded) : otherwise
  }

  /** Another room has its own. */
  reset(): void {
    this.#tools = null
    this.#loaded = null
  }
}
