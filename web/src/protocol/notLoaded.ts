/** What browsers and the bundler say of a file that did not come. */
const NOT_LOADED = /dynamically imported module|preload CSS|importing a module script failed/i

/** Whether a part of the page did not come, because the relay is away or has a newer page. */
export function isNotLoaded(error: unknown): boolean {
  return error instanceof Error && NOT_LOADED.test(error.message)
}
