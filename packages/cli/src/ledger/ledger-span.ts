import { parseDuration } from '@surehook/service-kit/time'
import { UsageError } from '../cli/command.ts'

/** From when to when a ledger is taken; `to` is absent when that is now. */
export function ledgerSpan(
  { from, to }: { from: string; to: string },
  now: number,
): { from: Date; to: Date | undefined } {
  // What is written until the question arrives is part of it.
  return {
    from: instantOf('from', from, now),
    to: to === 'now' ? undefined : instantOf('to', to, now),
  }
}

/** `90s`, `1h`, `2d`: so long ago. Else a time in ISO 8601. */
function instantOf(option: string, text: string, now: number): Date {
  const isDuration = /^\d+(?:ms|s|m|h|d)$/.test(text)
  const at = isDuration ? new Date(now - parseDuration(text)) : new Date(text)
  if (!Number.isNaN(at.getTime())) return at
  throw new UsageError(`--${option}: a duration (90s, 1h, 2d) or a time (2026-01-31T12:00:00Z)`)
}
