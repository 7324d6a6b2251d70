import { SurehookError, type Violation } from '@surehook/client'

/** What a user reads about a failed call. */
export type Fault = { message: string; requestId: string | null; violations: readonly Violation[] }

export function faultOf(err: unknown): Fault {
  if (err === null) return { message: '', requestId: null, violations: [] }
  if (!(err instanceof SurehookError)) {
    const message = err instanceof Error ? err.message : 'Something went wrong'
    return { message, requestId: null, violations: [] }
  }
  const { requestId = null, violations, code } = err
  const isLost = code === 'CONNECTION_FAILED'
  const message = isLost
    ? 'Surehook did not answer. Is it running?'
    : withoutDetails(err.message, violations)
  return { message, requestId, violations }
}

/** The client appends violations, status and request, which the console shows on their own. */
function withoutDetails(message: string, violations: readonly Violation[]): string {
  const what = message.replace(/ \((?:status \d+, )?request [^()]*\)$/, '')
  const faults = `: ${violations.map((one) => `${one.field} ${one.message}`).join('; ')}`
  return what.endsWith(faults) ? what.slice(0, -faults.length) : what
}

/** The first violation of each field. `filter.status.eq` also belongs to `filter`. */
export function violationOf(violations: readonly Violation[], field: string): string | undefined {
  const found = violations.find((one) => one.field === field || isWithin(one.field, field))
  if (found === undefined) return undefined
  return found.field === field ? found.message : `${found.field} ${found.message}`
}

const isWithin = (inner: string, outer: string) =>
  inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`)
