import { parseDuration } from '@surehook/service-kit/time'
import { UsageError } from '../cli/command.ts'

/** Parses the span of a ledger. `to` is undefined for `now`. */
export function ledgerSpan(
  { from, to }: { from: string; to: string },
  now: number,
): { from: Date; to: Date | undefined } {
  // An open end includes records that are written until the request arrives.
  return {
    from: instantOf('from', from, now),
    to: to === 'now' ? undefined : instantOf('to', to, now),
  }
}

/** Parses `90s`, `1h` or `2d` as a time that long ago, and anything else as an ISO 8601 time. */
function instantOf(option: string, text: string, now: number): Date {
  const isDuration = /^\d+(?:ms|s|m|h|d)$/.test(text)
  const at = isDuration ? new Date(now - parseDuration(text)) : new Date(text)
  if (!Number.isNaN(at.getTime())) return at
  throw new UsageError(`--${option}: a duration (90s, 1h, 2d) or a time (2026-01-31T12:00:00Z)`)
}
