export type Upstream = 'auth' | 'data' | 'sources' | 'webhooks'

export type Route =
  /** `url` is the path and query for the upstream. `isStream`: the answer may never end. */
  | { kind: 'proxy'; upstream: Upstream; url: string; isStream?: true }
  | { kind: 'local'; path: string }
  /** A path that two parsers could read differently. */
  | { kind: 'ambiguous' }
  | { kind: 'none' }

/**
 * Only letters, digits and harmless marks, and no segment that is empty or begins with a dot. Every
 * parser reads such a path the same way.
 */
const plain = /^(?:\/[A-Za-z0-9_~-][A-Za-z0-9_.~-]*)*\/?$/
// oxlint-disable-next-line no-control-regex -- control characters are the point
const unsafeInSegment = /[/\\\u0000-\u001f\u007f]/
const visibleAscii = /^[\u0021-\u007e]*$/
const local = new Set(['/healthz', '/readyz'])
/** Names of tables begin with a letter. */
const ofWebhooks = ['_webhooks', '_deliveries', '_events', '_endpoints'].map(
  (name) => `/api/rest/${name}`,
)
const openapi = /^\/openapi\/(?:admin|auth|data|sources|webhooks)\.json$/

/**
 * Routes by the decoded path and forwards the same path, encoded again. However an upstream treats
 * `..`, `//`, `%2f` or `%5f`, it sees the path that was checked here.
 */
export function routeOf(url: string): Route {
  const queryAt = url.indexOf('?')
  const rawPath = queryAt === -1 ? url : url.slice(0, queryAt)
  const path = plain.test(rawPath) ? rawPath : canonical(rawPath)
  if (path === null) return { kind: 'ambiguous' }
  if (local.has(path) || openapi.test(path) || isBelow(path, '/console')) {
    return { kind: 'local', path }
  }
  const query = queryAt === -1 ? '' : url.slice(queryAt)
  // The metadata of `{base}/auth/…` has this place (RFC 8414, section 3.1).
  if (isBelow(path, '/auth') || isBelow(path, '/.well-known/oauth-authorization-server/auth')) {
    return { kind: 'proxy', upstream: 'auth', url: path + query }
  }
  if (!isBelow(path, '/gw')) return { kind: 'none' }
  return apiRoute(path.slice('/gw'.length), query)
}

function apiRoute(path: string, query: string): Route {
  const url = path + query
  if (ofWebhooks.some((prefix) => isBelow(path, prefix))) {
    return { kind: 'proxy', upstream: 'webhooks', url }
  }
  if (isBelow(path, '/api/rest/_stream')) {
    return { kind: 'proxy', upstream: 'webhooks', url, isStream: true }
  }
  if (isBelow(path, '/api/rest/_sources')) return { kind: 'proxy', upstream: 'sources', url }
  if (isBelow(path, '/api/rest') || isBelow(path, '/api/graphql')) {
    return { kind: 'proxy', upstream: 'data', url }
  }
  return { kind: 'none' }
}

const isBelow = (path: string, prefix: string) =>
  path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/')

function canonical(rawPath: string): string | null {
  if (!visibleAscii.test(rawPath)) return null
  const [root, ...segments] = rawPath.split('/')
  // Also refuses targets that are not paths: `*`, `ftp://elsewhere/`.
  if (root !== '' || segments.length === 0) return null
  const clean: string[] = []
  for (const [index, segment] of segments.entries()) {
    const isTrailingSlash = segment === '' && index === segments.length - 1
    const encoded = isTrailingSlash ? '' : canonicalSegment(segment)
    if (encoded === null) return null
    clean.push(encoded)
  }
  return `/${clean.join('/')}`
}

function canonicalSegment(segment: string): string | null {
  let decoded: string
  try {
    decoded = decodeURIComponent(segment)
  } catch {
    return null
  }
  if (decoded === '' || decoded === '.' || decoded === '..') return null
  return unsafeInSegment.test(decoded) ? null : encodeURIComponent(decoded)
}
