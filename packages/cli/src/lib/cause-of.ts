import { isNativeError } from 'node:util/types'

/** `fetch` itself reports only "fetch failed". Its cause has the reason. */
export const causeOf = (err: unknown): unknown =>
  isNativeError(err) && err.cause !== undefined ? err.cause : err
