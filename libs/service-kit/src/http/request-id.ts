import { randomUUID } from 'node:crypto'

const accepted = /^[A-Za-z0-9._-]{1,128}$/
const traceparentForm = /^[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** The caller's `X-Request-Id` when it is harmless to repeat in headers and logs, else a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && accepted.test(header) ? header : randomUUID()
}

/** A well-formed W3C `traceparent`, else `null`. */
export function traceparentOf(header: string | string[] | undefined): string | null {
  return typeof header === 'string' && traceparentForm.test(header) ? header : null
}
