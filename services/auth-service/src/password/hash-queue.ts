import { AppError } from '@surehook/service-kit/errors'
import type { Metrics } from '@surehook/service-kit/metrics'

export type HashQueueOptions = {
  /** Hashes at work at the same time; each takes a core and 19 MiB. */
  concurrency: number
  /** Who would have to wait longer than about this is refused at once. */
  maxWaitMs: number
  metrics: Metrics
  now?: () => number
}

export type HashQueue = {
  /** Refuses as `run` would now: for the beginning of what will need a hash, before it costs anything. */
  demandRoom(): void
  /** Runs `work` when it is its turn; SERVICE_UNAVAILABLE at once when that would be too late. */
  run<T>(work: () => Promise<T>): Promise<T>
}

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
  const waiting: (() => void)[] = []
  let running = 0
  let expectedMs = firstGuessMs

  const isFull = () => {
    const ahead = waiting.length + 1
    return running >= concurrency && (ahead * expectedMs) / concurrency > maxWaitMs
  }
  const demandRoom = () => {
    if (!isFull()) return
    meters.refused.inc()
    throw new AppError('SERVICE_UNAVAILABLE', 'Too many passwords to hash', { retryAfterS: 1 })
  }
  const turn = async () => {
    if (running >= concurrency) {
      meters.depth.inc()
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push(resolve)
      // Whoever ends hands its place over: `running` stays as it is.
      await promise
      meters.depth.dec()
    } else running += 1
  }
  const leave = () => {
    const next = waiting.shift()
    if (next === undefined) running -= 1
    else next()
  }

  return {
    demandRoom,
    async run(work) {
      demandRoom()
      const askedAt = now()
      await turn()
      const startedAt = now()
      meters.wait.observe((startedAt - askedAt) / 1000)
      try {
        return await work()
      } finally {
        const tookMs = now() - startedAt
        expectedMs += weight * (tookMs - expectedMs)
        meters.duration.observe(tookMs / 1000)
        leave()
      }
    },
  }
}

function queueMeters(metrics: Metrics) {
  const buckets = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]
  return {
    depth: metrics.gauge({
      name: 'auth_hash_queue_depth',
      help: 'Password hashes that wait for their turn',
    }),
    refused: metrics.counter({
      name: 'auth_hash_refused_total',
      help: 'Password hashes refused because the wait would have been too long',
    }),
    wait: metrics.histogram({
      name: 'auth_hash_wait_seconds',
      help: 'How long a password hash waited for its turn',
      buckets,
    }),
    duration: metrics.histogram({
      name: 'auth_hash_seconds',
      help: 'How long a password hash took',
      buckets,
    }),
  }
}
