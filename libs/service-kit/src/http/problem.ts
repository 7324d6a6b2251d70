import type { ServerResponse } from 'node:http'
import type { Problem } from '@surehook/contracts/problem'
import { AppError, invalid } from '../errors.ts'
import { toUnavailable } from '../unavailable.ts'

/**
 * Converts any error to the one that the caller receives. Unknown errors become `INTERNAL_ERROR`.
 */
export function toAppError(err: unknown): AppError {
  if (err instanceof AppError) return err
  const away = toUnavailable(err)
  if (away !== null) return away
  if (err instanceof URIError) {
    const message = 'must be valid percent-encoded UTF-8'
    return invalid([{ field: 'path', message, rule: 'invalid_format' }])
  }
  return new AppError('INTERNAL_ERROR', undefined, { cause: err })
}

/** Body of an error response. A 5xx never reveals the internal cause. */
export function problemOf(err: AppError): Problem {
  if (err.status >= 500) {
    const message =
      err.code === 'SERVICE_UNAVAILABLE'
        ? 'The service cannot do this at the moment; try again'
        : 'Something went wrong on our side'
    return { error: err.code, message }
  }
  return {
    error: err.code,
    ...(err.message === '' ? {} : { message: err.message }),
    ...(err.violations === undefined ? {} : { violations: [...err.violations] }),
    ...(err.lockedUntil === undefined ? {} : { lockedUntil: err.lockedUntil.toISOString() }),
  }
}

/** Whole seconds after which a retry may succeed, or `undefined`. */
export function retryAfterOf(err: AppError): number | undefined {
  const seconds = err.retryAfterS ?? (err.code === 'SERVICE_UNAVAILABLE' ? 1 : undefined)
  return seconds === undefined ? undefined : Math.ceil(seconds)
}

/** Headers of an error response. */
export function problemHeaders(err: AppError): Record<string, string> {
  const retryAfterS = retryAfterOf(err)
  return {
    ...(retryAfterS === undefined ? {} : { 'Retry-After': String(retryAfterS) }),
    ...(err.status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
  }
}

/** Sends the problem. It cuts a response that has begun, and leaves a complete one. */
export function sendProblem(res: ServerResponse, err: AppError): void {
  if (res.writableEnded) return
  if (res.headersSent) {
    res.destroy()
    return
  }
  for (const [name, value] of Object.entries(problemHeaders(err))) res.setHeader(name, value)
  sendJson(res, err.status, JSON.stringify(problemOf(err)))
}

/** Sends JSON text. The default headers are `application/json` and no caching. */
export function sendJson(res: ServerResponse, status: number, json: string): void {
  // `keepWaiting` may have sent the head already.
  if (res.headersSent) {
    res.end(json)
    return
  }
  if (!res.hasHeader('Cache-Control')) res.setHeader('Cache-Control', 'no-store')
  if (!res.hasHeader('Content-Type'))
    res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('Content-Length', Buffer.byteLength(json))
  res.statusCode = status
  res.end(json)
}
