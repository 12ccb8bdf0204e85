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
