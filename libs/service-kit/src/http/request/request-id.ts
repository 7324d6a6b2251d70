import { randomUUID } from 'node:crypto'
import { isTraceparent } from '@surehook/contracts/trace/traceparent'

const accepted = /^[A-Za-z0-9._-]{1,128}$/

/** Returns the caller's `X-Request-Id` if it is safe in headers and logs, else a new id. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && accepted.test(header) ? header : randomUUID()
}

/** Returns a well-formed W3C `traceparent`, else `null`. */
export function traceparentOf(header: string | string[] | undefined): string | null {
  return typeof header === 'string' && isTraceparent(header) ? header : null
}
