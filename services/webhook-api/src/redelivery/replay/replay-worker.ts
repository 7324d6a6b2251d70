import type { StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { DeliveryJob } from '@surehook/contracts/events'
import type { LogReader, LogSpan } from '@surehook/kafka/readers/log-reader'
import type { EventCodec } from '@surehook/schemas/codec'
import { unavailable } from '@surehook/service-kit/errors'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import { ownChange, ownRecord } from '../../change-log/change-log.ts'
import { dayOf } from '../../history/rows/delivery-days.ts'
import type { BackgroundWork } from '../../jobs/background-work.ts'
import { type Claim, runClaimedWork } from '../../jobs/claimed-work.ts'
import type { SubscriptionRow } from '../../subscriptions/store/subscription-row.ts'
import { lockSubscription } from '../../subscriptions/store/subscription-store.ts'
import type { Pools } from '../../tenants/open-database.ts'
import { emitJobs } from '../jobs/emit-jobs.ts'
import type { LogJobs } from '../jobs/log-jobs.ts'
import { type LoggedChange, planReplay } from './replay-batch.ts'
import * as store from './replay-store.ts'
import { ShownSpans } from './shown-spans.ts'

export type ReplayWorkerDeps = Pools & {
  writer: Pick<StateWriter, 'write'>
  reader: Pick<LogReader, 'bounds' | 'read'>
  codec: Pick<EventCodec, 'change'>
  logJobs: LogJobs
  maxBodyBytes: number
  log: Logger
}

/** A piece of the log has at most 1 MiB plus one record. */
const batchLimits = { jobs: 100, bytes: 1_000_000 }
/**
 * The next batch waits until at most this many deliveries of the last one are unattempted, so that
 * live changes are delivered in between.
 */
const mayWait = 20
/** Between two batches while the history, which has the count, is away. */
const uncountedPaceMs = 2_000
const paceMs = 250
const lookEveryMs = 2_000
/** Longer than a batch takes. */
const claimMs = 60_000

/**
 * Works on replays in turns, batch by batch. Each batch commits together with the progress, so
 * after a crash nothing is repeated.
 */
export function runReplayWorker(deps: ReplayWorkerDeps): BackgroundWork {
  const { pool, log } = deps
  const worker = new ReplayWorker(deps)
  return runClaimedWork({
    waiting: () => store.dueReplays(pool),
    claim: (claim) => store.takeReplay(pool, claim, claimMs),
    work: (replay, claim, signal) => worker.workOn(replay, claim, signal),
    postpone: (claim, afterMs) => store.postponeReplay(pool, claim, afterMs),
    restMs: () => worker.restMs(),
    events: { failed: 'replay.failed', notPostponed: 'replay.not_postponed' },
    log,
  })
}

type LastBatch = { day: string; ids: readonly string[]; madeAt: number }
type Piece = { changes: readonly LoggedChange[]; next: number }

class ReplayWorker {
  readonly #deps: ReplayWorkerDeps
  readonly #last = new Map<string, LastBatch>()
  readonly #shown = new ShownSpans()
  #idle = 0

  constructor(deps: ReplayWorkerDeps) {
    this.#deps = deps
  }

  restMs(): number {
    this.#idle += 1
    // Other replicas may have finished the replays that began here.
    if (this.#idle * paceMs > claimMs) this.#last.clear()
    return this.#last.size > 0 ? paceMs : lookEveryMs
  }

  /** Does the next batch, unless too many deliveries of the last one wait. */
  async workOn(replay: store.ReplayRow, claim: Claim, signal: AbortSignal): Promise<number> {
    this.#idle = 0
    if (await this.#isAhead(claim.id)) {
      await store.postponeReplay(this.#deps.pool, claim, paceMs)
      return 0
    }
    const { logJobs, log } = this.#deps
    const { id: replayId, subscription_id: subscriptionId } = replay
    const spans = await this.#spansInTurn(replay)
    const [span] = spans
    const piece = span && (await this.#read(replay, span, signal))
    const now = Date.now()
    const { state, jobs } = await this.#commit({ ...replay, spans }, claim, { piece, now })
    await logJobs(jobs)
    if (state === 'running') {
      const ids = jobs.map(({ deliveryId }) => deliveryId)
      this.#last.set(replayId, { day: dayOf(now), ids, madeAt: performance.now() })
    } else {
      this.#last.delete(replayId)
      this.#shown.forget(replayId)
      log.info({ replayId, subscriptionId, state }, 'replay.ended')
    }
    return 0
  }

  async #isAhead(replayId: string): Promise<boolean> {
    const { historyPool, log } = this.#deps
    const last = this.#last.get(replayId)
    if (last === undefined) return false
    try {
      return (await store.countPending(historyPool, last)) > mayWait
    } catch (err) {
      log.debug({ err, replayId }, 'replay.not_counted')
      return performance.now() < last.madeAt + uncountedPaceMs
    }
  }

  /** Rejects with SERVICE_UNAVAILABLE while the log shows no more of any span. */
  async #spansInTurn({ id, spans }: store.ReplayRow): Promise<LogSpan[]> {
    const bounds = await this.#deps.reader.bounds()
    const ends = new Map(bounds.map(({ partition, end }) => [partition, end]))
    const inTurn = this.#shown.inTurn(id, spans, ends)
    if (inTurn === null) throw unavailable('The log shows no more of the replay')
    return inTurn
  }

  async #read(replay: store.ReplayRow, span: LogSpan, signal: AbortSignal): Promise<Piece> {
    const { reader, codec } = this.#deps
    const tenant = tenantOf(replay)
    const isOwn = ownRecord(tenant)
    const { messages, next } = await reader.read(span, signal)
    const changes: LoggedChange[] = []
    for (const message of messages.filter(isOwn)) {
      const change = await ownChange(codec, message, tenant)
      if (change !== null) changes.push({ change, next: Number(message.offset) + 1 })
    }
    return { changes, next }
  }

  #commit(
    replay: store.ReplayRow,
    claim: Claim,
    { piece, now }: { piece: Piece | undefined; now: number },
  ): Promise<{ state: store.ReplayStep['state']; jobs: readonly DeliveryJob[] }> {
    const { writer, maxBodyBytes } = this.#deps
    return writer.write(async (tx, emit) => {
      const subscription = await lockSubscription(tx, replay.subscription_id, tenantOf(replay))
      const step = stepOf(replay, piece, { subscription, maxBodyBytes, now })
      await store.advanceReplay(tx, claim, step)
      await emitJobs(emit, step.jobs)
      return step
    })
  }
}

function stepOf(
  { id, spans: [span, ...others], span_from: from, span_until: until }: store.ReplayRow,
  piece: Piece | undefined,
  {
    subscription,
    maxBodyBytes,
    now,
  }: { subscription: SubscriptionRow | undefined; maxBodyBytes: number; now: number },
): store.ReplayStep & { jobs: DeliveryJob[] } {
  const none = { spans: [], scanned: 0, deliveries: 0, jobs: [] }
  if (subscription === undefined) return { ...none, state: 'cancelled' }
  if (piece === undefined || span === undefined) return { ...none, state: 'done' }
  const of = { subscription, span: { replayId: id, from, until }, now }
  const batch = planReplay(piece.changes, of, { ...batchLimits, maxBodyBytes })
  const rest = { ...span, from: batch.next ?? piece.next }
  // The partitions take turns, which keeps the order of time approximately.
  const spans = rest.from < rest.to ? [...others, rest] : others
  const { jobs, scanned } = batch
  const state = spans.length > 0 ? 'running' : 'done'
  return { ...none, state, spans, scanned, jobs, deliveries: jobs.length }
}

const tenantOf = ({ project_id: projectId, environment }: store.ReplayRow) => ({
  projectId,
  environment,
})
