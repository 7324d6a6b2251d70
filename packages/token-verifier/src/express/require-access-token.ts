import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AccessClaims } from '../claims/claims.ts'
import { TokenError, TooManyTokensError, VerifierUnavailableError } from '../token-error.ts'
import type { TokenVerifier } from '../token-verifier.ts'

const scheme = /^Bearer +(\S+) *$/i

/** Returns the token of an `Authorization` header, or `null` if there is none. */
export function bearerToken(authorization: string | undefined): string | null {
  return scheme.exec(authorization ?? '')?.[1] ?? null
}

type Next = (err?: unknown) => void
type Middleware = (req: IncomingMessage, res: ServerResponse, next: Next) => Promise<void>

export type RequireAccessTokenOptions = {
  /**
   * Returns the client of a request, for the limit on invalid encrypted tokens. Behind a proxy,
   * return the address that the proxy reports. Without this option there is no limit.
   */
  clientOf?: (req: IncomingMessage) => string
}

/**
 * Express middleware that sets `req.auth` to the claims. It answers requests without a valid token
 * itself.
 */
export function requireAccessToken(
  verifier: Pick<TokenVerifier, 'verify'>,
  { clientOf }: RequireAccessTokenOptions = {},
): Middleware {
  return async (req, res, next) => {
    const token = bearerToken(req.headers.authorization)
    if (token === null) {
      // RFC 6750 §3.1: a request without a token gets no error code.
      res.setHeader('WWW-Authenticate', 'Bearer')
      answer(res, 401, 'AUTH_TOKEN_INVALID')
      return
    }
    try {
      Object.assign(req, { auth: await verifier.verify(token, clientOf?.(req)) })
    } catch (err) {
      refuse(res, err, next)
      return
    }
    next()
  }
}

/** Returns the claims that `requireAccessToken` set on the request. */
export function claimsOf(req: IncomingMessage): AccessClaims {
  const { auth } = req as { auth?: AccessClaims }
  if (auth === undefined) throw new Error('The request did not pass requireAccessToken')
  return auth
}

function refuse(res: ServerResponse, err: unknown, next: Next): void {
  if (err instanceof TokenError) {
    res.setHeader('WWW-Authenticate', challengeOf(err))
    answer(res, 401, err.code)
  } else if (err instanceof TooManyTokensError) {
    res.setHeader('Retry-After', String(err.retryAfterS))
    answer(res, 429, 'RATE_LIMIT_EXCEEDED')
  } else if (err instanceof VerifierUnavailableError) {
    res.setHeader('Retry-After', '1')
    answer(res, 503, 'SERVICE_UNAVAILABLE')
    // Express does not treat `undefined` or words like `route` as errors, and would run the next
    // handler.
  } else next(err instanceof Error ? err : new Error('The verifier failed', { cause: err }))
}

function challengeOf({ code }: TokenError): string {
  const what = code === 'AUTH_TOKEN_EXPIRED' ? 'has expired' : 'is not valid'
  return `Bearer error="invalid_token", error_description="The access token ${what}"`
}

function answer(res: ServerResponse, status: number, error: string): void {
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.statusCode = status
  res.end(JSON.stringify({ error }))
}
