import { randomUUID } from 'node:crypto'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Pool, PoolClient, QueryResultRow } from 'pg'
import { type BackgroundWork, runBackgroundWork } from './background-work.ts'
import { ProjectTurns } from './project-turns.ts'

/** The replica `by` works on the row `id`. */
export type Claim = { id: string; by: string }

/** Another replica has claimed the row and continues from the recorded progress. */
class ClaimLostError extends Error {}

export type ClaimedWork<Row> = {
  /** Returns the job of each project that has waited longest, in the order of their waiting. */
  waiting: () => Promise<readonly { id: string; projectId: string }[]>
  /** Resolves to `undefined` if another replica was faster. */
  claim: (claim: Claim) => Promise<Row | undefined>
  /** Does a part of the job. Resolves to the milliseconds until the next look for jobs. */
  work: (row: Row, claim: Claim, signal: AbortSignal) => Promise<number>
  /** Lets others claim the row after `afterMs`. Called after a failure. */
  postpone: (claim: Claim, afterMs: number) => Promise<void>
  /** The milliseconds until the next look when no job waits. Default: 2 seconds. */
  restMs?: () => number
  /** Names of log messages. */
  events: { failed: string; notPostponed: string }
  log: Logger
}

/** Polling also finds jobs that a killed replica left behind. */
const lookEveryMs = 2_000

/**
 * Works on jobs of which each row belongs to one replica at a time. Projects take turns.
 * Those whose job has just failed come last. The work must commit its progress together with its
 * effects, so that a crash repeats nothing.
 */
export function runClaimedWork<Row>(options: ClaimedWork<Row>): BackgroundWork {
  const { waiting, claim, work, postpone, restMs = () => lookEveryMs, events, log } = options
  const by = randomUUID()
  const turns = new ProjectTurns()
  const failing = new Map<string, number>()
  const isFailing = ({ projectId }: { projectId: string }) =>
    performance.now() < (failing.get(projectId) ?? 0)
  return runBackgroundWork({
    async work(signal) {
      const next = turns.next((await waiting()).filter((job) => !isFailing(job)))
      if (next === undefined) {
        failing.clear()
        return restMs()
      }
      const claimed = { id: next.id, by }
      const row = await claim(claimed)
      if (row === undefined) return 0
      try {
        return await work(row, claimed, signal)
      } catch (err) {
        if (err instanceof ClaimLostError) return 0
        const late = (cause: unknown) => log.debug({ err: cause }, events.notPostponed)
        await postpone(claimed, signal.aborted ? 0 : lookEveryMs).catch(late)
        if (!signal.aborted) log.warn({ err }, events.failed)
        failing.set(next.projectId, performance.now() + lookEveryMs)
        return 0
      }
    },
    onFailure: (err) => log.warn({ err }, events.failed),
    retryMs: lookEveryMs,
  })
}

/**
 * The claims on rows of a table: `taken_by` has the row until `due_at`. After that time another
 * replica takes over from a killed one.
 * @param isOpen the SQL condition of unfinished jobs
 */
export function claimsOn<Row extends QueryResultRow>(
  table: 'replay' | 'history_rebuild',
  isOpen: string,
) {
  return {
    async take(pool: Pool, { id, by }: Claim, forMs: number): Promise<Row | undefined> {
      const { rows } = await pool.query<Row>(
        `update ${table} set taken_by = $2, due_at = clock_timestamp() + $3 * interval '1 ms'
         where id = $1 and ${isOpen} and due_at <= clock_timestamp()
         returning *`,
        [id, by, forMs],
      )
      return rows[0]
    },

    async postpone(pool: Pool, { id, by }: Claim, afterMs: number): Promise<void> {
      await pool.query(
        `update ${table} set due_at = clock_timestamp() + $3 * interval '1 ms'
         where id = $1 and taken_by = $2`,
        [id, by, afterMs],
      )
    },

    /**
     * Records progress. Throws if another replica has claimed the row, so that the transaction
     * rolls back.
     * @param set SQL whose parameters begin at `$3`
     */
    async advance(
      db: Pool | PoolClient,
      { id, by }: Claim,
      { set, from = isOpen, values }: { set: string; from?: string; values: readonly unknown[] },
    ): Promise<void> {
      const { rowCount } = await db.query(
        `update ${table} set ${set} where id = $1 and taken_by = $2 and ${from}`,
        [id, by, ...values],
      )
      if (rowCount !== 1) throw new ClaimLostError('Another replica has claimed the job')
    },
  }
}
