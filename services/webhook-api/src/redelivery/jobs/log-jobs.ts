import type { Within } from '@surehook/change-capture/emit/state-writer'
import type { DeliveryJob } from '@surehook/contracts/events'
import { boundedBy } from '@surehook/service-kit/bounded'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { DeliveryStore } from '../../history/write/delivery-store.ts'

/** Writes jobs that are on their topic into the history. Never rejects. */
export type LogJobs = (jobs: readonly DeliveryJob[], limits?: LogLimits) => Promise<void>

/** `within` limits the writes at a time; the caller waits for `waitMs`. */
export type LogLimits = { within: Within; waitMs: number }

/**
 * A client finds a delivery in the history once it has the answer. The history is another database,
 * so the row comes after the commit. If the history is away or the process is killed, the row comes
 * a moment later: the delivery log reads the job from its topic.
 */
export function logJobs(store: Pick<DeliveryStore, 'addJobs'>, log: Logger): LogJobs {
  return async (jobs, limits) => {
    const write = () => store.addJobs(jobs)
    try {
      if (limits === undefined) await write()
      else await boundedBy(limits.waitMs, limits.within(write), 'the history does not answer')
    } catch (err) {
      log.warn({ err, jobs: jobs.length }, 'history.jobs_later')
    }
  }
}
