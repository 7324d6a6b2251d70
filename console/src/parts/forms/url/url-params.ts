/** The URL with another value of a filter. A new search begins at its first page. */
export function withParam(params: URLSearchParams, name: string, value: string): URLSearchParams {
  const next = new URLSearchParams(params)
  next.delete('cursor')
  if (value === '') next.delete(name)
  else next.set(name, value)
  return next
}
