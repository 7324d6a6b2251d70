import type { Violation } from '@surehook/client'

export const spans = [
  ['1h', 'The last hour', 1],
  ['24h', 'The last 24 hours', 24],
  ['72h', 'The last 3 days', 72],
  ['own', 'Between two times', null],
] as const

const hourMs = 3_600_000
const first = spans[0]

/** Without `until`, it ends now by the clock of Surehook, which may differ from the reader's. */
export type Span = { from: string; until?: string }

/** The choice as the URL has it. Its times are those of the reader's clock. */
export type SpanChoice = { within: string; from: string; until: string }

export function choiceOf(params: URLSearchParams): SpanChoice {
  const within = params.get('within') ?? first[0]
  return {
    within: spans.some(([name]) => name === within) ? within : first[0],
    from: params.get('from') ?? '',
    until: params.get('until') ?? '',
  }
}

/** The chosen span, or what is wrong with the times. */
export function spanOf(
  choice: SpanChoice,
  now: Date,
): { span: Span | null; violations: Violation[] } {
  const [, , hours] = spans.find(([name]) => name === choice.within) ?? first
  if (hours !== null) {
    const from = new Date(now.getTime() - hours * hourMs)
    return { span: { from: from.toISOString() }, violations: [] }
  }
  const from = new Date(choice.from)
  const until = choice.until === '' ? null : new Date(choice.until)
  const violations = faultsOf(from, until ?? now)
  if (violations.length > 0) return { span: null, violations }
  const end = until === null ? {} : { until: until.toISOString() }
  return { span: { from: from.toISOString(), ...end }, violations }
}

function faultsOf(from: Date, until: Date): Violation[] {
  if (Number.isNaN(from.getTime())) return [{ field: 'from', message: 'must be a time' }]
  if (Number.isNaN(until.getTime())) return [{ field: 'until', message: 'must be a time' }]
  return until > from ? [] : [{ field: 'until', message: 'must be after the start' }]
}

/** The URL with another part of the choice. */
export function withChoice(params: URLSearchParams, part: Partial<SpanChoice>): URLSearchParams {
  const next = new URLSearchParams(params)
  for (const [name, value] of Object.entries(part)) {
    if (value === '') next.delete(name)
    else next.set(name, value)
  }
  return next
}
