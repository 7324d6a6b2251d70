import type { Ledger } from '@surehook/contracts/http/webhooks/ledger'
import { AppError, invalid } from '@surehook/service-kit/errors'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import { TableFullError } from './deliveries/delivery-table.ts'
import type { LedgerMetrics } from './ledger-metrics.ts'
import type { Scope } from './ledger-reading.ts'
import type { Span } from './log-marks.ts'
import { noCounts, type Sum, sumUp } from './sum-up.ts'
import type { TakenLedger } from './take-ledger.ts'

export type LedgersDeps = {
  take: (of: { span: Span; scope: Scope }, signal: AbortSignal) => Promise<TakenLedger>
  /** Throws if the topics may no longer hold the whole span. */
  refuseTrimmed: (from: number) => Promise<void>
  withinMs: number
  metrics: LedgerMetrics
  log: Logger
  now: () => number
}

export type LedgerQuery = Scope & { from: Date; to?: Date | undefined }

export type Ledgers = {
  /** Ends without an answer when the signal aborts. */
  ask(query: LedgerQuery, signal: AbortSignal): Promise<Ledger>
}

const retryAfterS = 5

/**
 * Takes one ledger at a time, because each reads much and needs much memory. A ledger is one long
 * response rather than a stored job, so an abandoned one leaves nothing behind.
 */
export function createLedgers(deps: LedgersDeps): Ledgers {
  let isBusy = false
  return {
    async ask(query, signal) {
      const span = spanOf(query, deps.now())
      if (isBusy) {
        throw new AppError('RATE_LIMIT_EXCEEDED', 'A ledger is being taken', { retryAfterS })
      }
      isBusy = true
      try {
        await deps.refuseTrimmed(span.from)
        return await takeOne(deps, { span, scope: query }, signal)
      } finally {
        isBusy = false
      }
    },
  }
}

function spanOf({ from, to }: LedgerQuery, now: number): Span {
  const span = { from: from.getTime(), to: to?.getTime() ?? now }
  if (span.to > now)
    throw invalid([{ field: 'to', message: 'must not be in the future', rule: 'out_of_range' }])
  if (span.from < span.to) return span
  throw invalid([
    {
      field: to === undefined ? 'from' : 'to',
      message: 'must be later than from',
      rule: 'out_of_range',
    },
  ])
}

async function takeOne(
  deps: LedgersDeps,
  of: { span: Span; scope: Scope },
  signal: AbortSignal,
): Promise<Ledger> {
  const { take, withinMs, metrics, log, now } = deps
  const startedAt = now()
  const begunAt = performance.now()
  const timeOver = AbortSignal.timeout(withinMs)
  const answer = (found: SummedLedger): Ledger => {
    const seconds = (performance.now() - begunAt) / 1000
    const ledger = ledgerOf(of.span, { ...found, seconds })
    metrics.taken(ledger)
    const { closes, changes, total } = ledger
    log.info({ closes, changes, total, seconds, notes: ledger.notes }, 'ledger.taken')
    return ledger
  }
  try {
    const { takenAt, reading } = await take(of, AbortSignal.any([signal, timeOver]))
    return answer({ takenAt, changes: reading.changes, sum: sumUp(reading), note: null })
  } catch (err) {
    signal.throwIfAborted()
    const note = noteOf(err, { timeOver, withinMs })
    if (note === null) throw err
    return answer({ takenAt: startedAt, changes: 0, sum: nothing, note })
  }
}

/** Returns why a reading failed, if a smaller request would help. */
function noteOf(
  err: unknown,
  { timeOver, withinMs }: { timeOver: AbortSignal; withinMs: number },
): string | null {
  if (err instanceof TableFullError) {
    return 'The changes of this span make more deliveries than can be held: ask for a shorter one'
  }
  if (!timeOver.aborted) return null
  return `The reading was not done within ${withinMs / 1000} s: ask for a shorter span`
}

type SummedLedger = { takenAt: number; changes: number; sum: Sum; note: string | null }

const nothing: Sum = {
  total: noCounts(),
  webhooks: [],
  webhooksLeftOut: 0,
  holes: [],
  holesLeftOut: 0,
  endedTwice: [],
}

function ledgerOf(
  { from, to }: Span,
  { takenAt, changes, sum, note, seconds }: SummedLedger & { seconds: number },
): Ledger {
  const complete = note === null
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    takenAt: new Date(takenAt).toISOString(),
    seconds,
    complete,
    closes: complete && sum.holes.length === 0,
    notes: note === null ? [] : [note],
    changes,
    ...sum,
  }
}
