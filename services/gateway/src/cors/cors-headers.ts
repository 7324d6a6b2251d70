import cors from 'cors'
import { everyOrigin } from './allowed-origins.ts'

export type Headers = readonly (readonly [name: string, value: string])[]

/** The headers for one origin, or for all. */
export type CorsHeaders = {
  readonly preflight: Headers
  readonly answer: Headers
}

/** What pages may do, whichever origin they have. Tokens travel in headers, so no credentials are allowed. */
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
  // Chrome keeps none for longer.
  maxAge: 7_200,
}

/**
 * The headers of answers to each origin, computed once: the package makes them anew for each request. Where origins are
 * listed, an answer depends on the origin even if it allows nothing.
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

/** What the package sets on an answer to a request of that method. */
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
