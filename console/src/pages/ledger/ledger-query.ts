import type { LedgerQuery, Violation } from '@surehook/client'
import { choiceOf, spanOf } from '../../parts/forms/span/span.ts'

/** The part of the URL that names whose deliveries are looked at. */
export const scopeOf = (params: URLSearchParams) => ({
  project: params.get('project') ?? '',
  environment: params.get('environment') ?? '',
})

/** The question that the URL holds, or what is wrong with its times. */
export function ledgerQueryOf(
  params: URLSearchParams,
  now: Date,
): { query: LedgerQuery | null; violations: Violation[] } {
  const { span, violations } = spanOf(choiceOf(params), now)
  const { project, environment } = scopeOf(params)
  const query = span && {
    from: span.from,
    ...(span.until !== undefined && { to: span.until }),
    ...(project !== '' && { project }),
    ...(environment !== '' && { environment }),
  }
  return { query, violations }
}

/** The form names the end `until`, the API `to`. */
export const fieldOf = (field: string): string => (field === 'until' ? 'to' : field)
