/** A limit as the headers of an answer tell it. */
export type RateLimit = {
  /** `project`: of the environment. `token`: of your token. */
  scope: string
  /** The most points that can be spent at once. */
  quota: number
  /** The seconds until an empty limit is full again. */
  windowSeconds: number
  /** The points left; null: not told. */
  left: number | null
}

/**
 * Reads `RateLimit-Policy` and `RateLimit` of the IETF draft "RateLimit header fields for HTTP".
 * Returns null if the answer has none.
 */
export function rateLimitsOf(headers: Headers): RateLimit[] | null {
  const policy = headers.get('ratelimit-policy')
  if (policy === null) return null
  const left = new Map(
    [...(headers.get('ratelimit') ?? '').matchAll(/"(\w+)";r=(\d+)/g)].map(([, scope, points]) => [
      scope,
      Number(points),
    ]),
  )
  return [...policy.matchAll(/"(\w+)";q=(\d+);w=(\d+)/g)].map(
    ([, scope = '', quota, windowSeconds]) => ({
      scope,
      quota: Number(quota),
      windowSeconds: Number(windowSeconds),
      left: left.get(scope) ?? null,
    }),
  )
}
