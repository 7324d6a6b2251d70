/** The one-time code of `surehook console` in a fragment such as `#code=…`. */
export const codeIn = (hash: string): string | null =>
  new URLSearchParams(hash.replace(/^#/, '')).get('code') || null

type PageAddress = Pick<Location, 'hash' | 'pathname' | 'search'>
type Entries = Pick<History, 'replaceState' | 'state'>

/** Takes the code out of the address bar, and out of the history of the tab. */
export function takeCode(
  { hash, pathname, search }: PageAddress = window.location,
  history: Entries = window.history,
): string | null {
  const code = codeIn(hash)
  if (code !== null) history.replaceState(history.state, '', `${pathname}${search}`)
  return code
}
