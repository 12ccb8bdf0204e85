import { writeText } from '../stores/storage'

/** Moves `?token=` from the address bar into the browser's storage. */
export function takeToken(): void {
  const url = new URL(location.href)
  const token = url.searchParams.get('token')
  if (token === null) return
  url.searchParams.delete('token')
  history.replaceState(history.state, '', url)
  if (token.trim()) writeText('token', token.trim())
}

/** Takes the code of `#/pair/<code>` out of the address; "" if there is none. */
export function takeCode(): string {
  const [, code = ''] = /^#\/pair\/([\w-]{8,200})$/.exec(location.hash) ?? []
  if (code) history.replaceState(history.state, '', `${location.pathname}${location.search}#/`)
  return code
}
