import cors from 'cors'
import { everyOrigin } from './allowed-origins.ts'

export type Headers = readonly (readonly [name: string, value: string])[]

/** The headers for one origin, or for all. */
export type CorsHeaders = {
  readonly preflight: Headers
  readonly answer: Headers
}

/**
 * The permissions of pages, the same for every origin. Tokens travel in headers, so credentials are
 * not allowed.
 */
const options = {
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowedHeaders: [
    'authorization',
    'content-type',
    'x-project-id',
    'environment',
    'idempotency-key',
    'if-match',
    'if-none-match',
    'last-event-id',
    'accept-language',
    'traceparent',
    'x-request-id',
    'x-as-user',
  ],
  exposedHeaders: [
    'Retry-After',
    'X-Request-Id',
    'ETag',
    'RateLimit',
    'RateLimit-Policy',
    'Location',
    'X-Next-Cursor',
  ],
  // Chrome caches a preflight for at most 2 hours.
  maxAge: 7_200,
}

/**
 * Computes the headers for each origin once, because the package computes them for each request. If
 * origins are listed, every answer depends on the origin, also a refusal.
 */
export function corsHeaders(
  allowed: readonly string[],
): (origin: string | undefined) => CorsHeaders {
  if (allowed.includes(everyOrigin)) {
    const same = headersFor(everyOrigin)
    return () => same
  }
  const byOrigin = new Map(allowed.map((origin) => [origin, headersFor(origin)]))
  const vary = [['Vary', 'Origin']] as const
  const refused = { preflight: vary, answer: vary }
  return (origin = '') => byOrigin.get(origin) ?? refused
}

const headersFor = (origin: string): CorsHeaders => ({
  preflight: headersSet(origin, 'OPTIONS'),
  answer: headersSet(origin, 'GET'),
})

/** Returns the headers that the package sets on the answer to a request with that method. */
function headersSet(origin: string, method: string): Headers {
  const set = new Map<string, string>()
  const res = {
    getHeader: (name: string) => set.get(name),
    setHeader: (name: string, value: string) => set.set(name, value),
    end: () => undefined,
  }
  const handle = cors({ ...options, origin, preflightContinue: true })
  handle({ method, headers: { origin } }, res, () => undefined)
  return [...set]
}
