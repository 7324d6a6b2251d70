import { AppError } from '@surehook/service-kit/errors'
import type { Metrics } from '@surehook/service-kit/metrics'

export type HashQueueOptions = {
  /** Lanes at work at the same time; each takes a core, and a hash of ours has one and 19 MiB. */
  concurrency: number
  /** Who would have to wait longer than about this is refused at once. */
  maxWaitMs: number
  metrics: Metrics
  now?: () => number
}

export type HashQueue = {
  /** Refuses as `run` would now: for the beginning of what will need a hash, before it costs anything. */
  demandRoom(): void
  /**
   * Runs `work`, which keeps so many cores busy, when it is its turn; SERVICE_UNAVAILABLE at once when that
   * would be too late.
   */
  run<T>(work: () => Promise<T>, lanes?: number): Promise<T>
}

type Waiting = { lanes: number; begin: () => void }

const firstGuessMs = 40
/** How much the newest duration counts in the expected one. */
const weight = 0.1

/**
 * Hashing is the one thing here that takes whole cores. More of it at once would slow everything
 * down, and a queue without an end would only make all answers late: it is bounded by the wait that
 * its last entry has to expect.
 */
export function createHashQueue(options: HashQueueOptions): HashQueue {
  const { concurrency, maxWaitMs, metrics, now = () => performance.now() } = options
  const meters = queueMeters(metrics)
  const waiting: Waiting[] = []
  let running = 0
  let expectedMs = firstGuessMs

  const lanesOf = (lanes: number) => Math.min(lanes, concurrency)
  const isFree = (lanes: number) => waiting.length === 0 && running + lanes <= concurrency
  const demandRoom = (asked = 1) => {
    const lanes = lanesOf(asked)
    const ahead = waiting.reduce((sum, one) => sum + one.lanes, lanes)
    if (isFree(lanes) || (ahead * expectedMs) / concurrency <= maxWaitMs) return
    meters.refused.inc()
    throw new AppError('SERVICE_UNAVAILABLE', 'Too many passwords to hash', { retryAfterS: 1 })
  }
  const turn = async (lanes: number) => {
    if (isFree(lanes)) {
      running += lanes
      return
    }
    meters.depth.inc()
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting.push({ lanes, begin: resolve })
    await promise
    meters.depth.dec()
  }
  const leave = (lanes: number) => {
    running -= lanes
    // In the order of arrival: one of many lanes is not overtaken for ever by those of one.
    for (let next = waiting[0]; next && running + next.lanes <= concurrency; next = waiting[0]) {
      waiting.shift()
      running += next.lanes
      next.begin()
    }
  }

  return {
    demandRoom: () => demandRoom(),
    async run(work, asked = 1) {
      demandRoom(asked)
      const lanes = lanesOf(asked)
      const askedAt = now()
      await turn(lanes)
      const startedAt = now()
      meters.wait.observe((startedAt - askedAt) / 1000)
      try {
        return await work()
      } finally {
        const tookMs = now() - startedAt
        expectedMs += weight * (tookMs - expectedMs)
        meters.duration.observe(tookMs / 1000)
        leave(lanes)
      }
    },
  }
}

function queueMeters(metrics: Metrics) {
  const buckets = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]
  return {
    depth: metrics.gauge({
      name: 'surehook_auth_hash_queue_depth',
      help: 'Password hashes that wait for their turn',
    }),
    refused: metrics.counter({
      name: 'surehook_auth_hash_refused_total',
      help: 'Password hashes refused because the wait would have been too long',
    }),
    wait: metrics.histogram({
      name: 'surehook_auth_hash_wait_seconds',
      help: 'How long a password hash waited for its turn',
      buckets,
    }),
    duration: metrics.histogram({
      name: 'surehook_auth_hash_duration_seconds',
      help: 'How long a password hash took',
      buckets,
    }),
  }
}
