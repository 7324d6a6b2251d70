import { instantOf } from '../lib/input/option-values.ts'

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
