import type { Call, Operation } from './operation.ts'

/** A token, or how to get the current one: asked before each attempt. */
export type TokenSource = string | (() => string | Promise<string>)

const tokenForm = /^[\x21-\x7e]+$/

/** `fetch` would quote a token with a line break in its error, so such a token fails here. */
export async function checkedToken(source: TokenSource): Promise<string> {
  const token = typeof source === 'string' ? source : await source()
  if (typeof token === 'string' && tokenForm.test(token)) return token
  throw new TypeError('token must be one or more visible ASCII characters')
}

/** The path of a call and its query. Fields that are undefined are left out. */
export function urlOf({ url, path, query }: Call<Operation>): string {
  const values = (path ?? {}) as Record<string, string>
  const filled = url.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, values[name]))
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) params.append(name, String(value))
  }
  return params.size === 0 ? filled : `${filled}?${params.toString()}`
}

/** An empty segment, or `..`, would name another operation. */
function segment(name: string, value: string | undefined): string {
  if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) {
    throw new TypeError(`${name} must be a name or an id`)
  }
  return encodeURIComponent(value)
}

/** Refuses credentials in the URL, because errors of `fetch` quote it. */
export function checkedBaseUrl(baseUrl: string): string {
  const { protocol, username, password } = new URL(baseUrl)
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '') {
    throw new TypeError('baseUrl must be an http or https URL without credentials')
  }
  return baseUrl.replace(/\/+$/, '')
}
