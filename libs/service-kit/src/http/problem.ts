import type { ServerResponse } from 'node:http'
import type { Problem } from '@surehook/contracts/problem'
import { AppError, invalid } from '../errors.ts'
import { toUnavailable } from '../unavailable.ts'

/** Any error as the one the caller receives. What is not known is `INTERNAL_ERROR`. */
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

/** The body of an error answer. A 5xx never shows the caller what broke inside. */
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

/** Whole seconds that the caller should wait, when waiting helps. */
export function retryAfterOf(err: AppError): number | undefined {
  const seconds = err.retryAfterS ?? (err.code === 'SERVICE_UNAVAILABLE' ? 1 : undefined)
  return seconds === undefined ? undefined : Math.ceil(seconds)
}

/** What an error answer says outside of its body. */
export function problemHeaders(err: AppError): Record<string, string> {
  const retryAfterS = retryAfterOf(err)
  return {
    ...(retryAfterS === undefined ? {} : { 'Retry-After': String(retryAfterS) }),
    ...(err.status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
  }
}

/** Answers with the problem. An answer that has begun is cut, one that is complete stays. */
export function sendProblem(res: ServerResponse, err: AppError): void {
  if (res.writableEnded) return
  if (res.headersSent) {
    res.destroy()
    return
  }
  for (const [name, value] of Object.entries(problemHeaders(err))) res.setHeader(name, value)
  sendJson(res, err.status, JSON.stringify(problemOf(err)))
}

/** Sends text that is JSON already. It is not cached, and is `application/json`, unless a header says otherwise. */
export function sendJson(res: ServerResponse, status: number, json: string): void {
  // It was begun by who kept the client waiting.
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
