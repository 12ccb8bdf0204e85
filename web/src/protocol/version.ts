/** Which of page and relay is of an older release. */

function numbers(version: string): number[] {
  return (/^\d+(?:\.\d+)*/.exec(version)?.[0] ?? '').split('.').map(Number)
}

/** Where the page stands beside the relay; "" if both are of the same release or one is not known. */
export function skewOf(page: string, relay: string): 'older' | 'newer' | '' {
  if (!page || !relay) return ''
  const [a, b] = [numbers(page), numbers(relay)]
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0)
    if (difference !== 0) return difference < 0 ? 'older' : 'newer'
  }
  return ''
}
