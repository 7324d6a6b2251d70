import { isNativeError } from 'node:util/types'

/** What `fetch` says itself is only that it failed; the reason is behind it. */
export const causeOf = (err: unknown): unknown =>
  isNativeError(err) && err.cause !== undefined ? err.cause : err
