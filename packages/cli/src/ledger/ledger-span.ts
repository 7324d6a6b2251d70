import { instantOf } from '../lib/input/option-values.ts'

/** Parses the span of a ledger. `to` is absent for `now`. */
export function ledgerSpan(
  { from, to }: { from: string; to: string },
  now: number,
): { from: string; to?: string } {
  // An open end includes records that are written until the request arrives.
  return {
    from: instantOf('from', from, now).toISOString(),
    ...(to !== 'now' && { to: instantOf('to', to, now).toISOString() }),
  }
}
