import type { Delivery } from '@surehook/client'

const errors: Record<NonNullable<Delivery['lastError']>, string> = {
  timeout: 'No answer in time',
  dns: 'Name not found',
  tls: 'Certificate refused',
  refused: 'Connection refused',
  ssrf_blocked: 'Address not allowed',
  http: 'HTTP error',
  too_large: 'Body too large',
}

/** The outcome of the last attempt. */
export function outcomeText({
  httpStatus,
  lastError,
}: Pick<Delivery, 'httpStatus' | 'lastError'>): string {
  if (httpStatus !== null) return `HTTP ${httpStatus}`
  return lastError === null ? '–' : (errors[lastError] ?? lastError)
}

export const errorClasses = Object.entries(errors)
