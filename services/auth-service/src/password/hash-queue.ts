import { AppError } from '@surehook/service-kit/errors'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { ClientLine } from '../limits/client-line.ts'
import { createFairTurns } from '../limits/fair-turns.ts'

export type HashQueueOptions = {
  /** Lanes at work at the same time. Each takes a core. A hash of ours takes one lane and 19 MiB. */
  concurrency: number
  /** What would wait longer than about this, if nobody came later, is refused at once. */
  maxWaitMs: number
  metrics: Metrics
  now?: () => number
}

export type HashQueue = {
  /** Refuses as `run` would now. Call it before a request that needs a hash costs anything else. */
  assertCapacity(line: ClientLine): void
  /** Runs `work` when it is its turn; NoHashRoomError when that would be too late. */
  run<T>(job: HashJob<T>): Promise<T>
}

export type HashJob<T> = {
  line: ClientLine
  work: () => Promise<T>
  /** How many cores it keeps busy; 1 by default. */
  lanes?: number
}

/** Nothing of the password was looked at. */
export class NoHashRoomError extends AppError {
  constructor() {
    super('SERVICE_UNAVAILABLE', 'Too many passwords to hash', { retryAfterS: 1 })
  }
}

const firstGuessMs = 40
/** How much the newest duration counts in the expected one. */
const weight = 0.1

/**
 * Hashing is the one thing here that takes whole cores. More of it at once would slow everything down, and a queue
 * without an end would make all answers late: its room is what can be hashed within `maxWaitMs`. Tenants, and the
 * networks of a tenant's clients, share the room and are served in turn.
 */
export function createHashQueue(options: HashQueueOptions): HashQueue {
  const { concurrency, maxWaitMs, metrics, now = () => performance.now() } = options
  const meters = queueMeters(metrics)
  let expectedMs = firstGuessMs
  const turns = createFairTurns({
    concurrency,
    room: () => (maxWaitMs * concurrency) / expectedMs,
    longestWaitMs: patience * maxWaitMs,
    refusal: () => {
      meters.refused.inc()
      return new NoHashRoomError()
    },
    onWaiting: (change) => meters.depth.inc(change),
  })
  return {
    assertCapacity: turns.assertCapacity,
    async run({ line, work, lanes: asked = 1 }) {
      const lanes = Math.min(asked, concurrency)
      const askedAt = now()
      await turns.take(line, lanes)
      const startedAt = now()
      meters.wait.observe((startedAt - askedAt) / 1000)
      try {
        return await work()
      } finally {
        const tookMs = now() - startedAt
        expectedMs += weight * (tookMs - expectedMs)
        meters.duration.observe(tookMs / 1000)
        turns.giveBack(lanes)
      }
    },
  }
}

/** Others may be served in between, but nobody waits for ever: so many times the longest expected wait. */
const patience = 3

function queueMeters(metrics: Metrics) {
  const buckets = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]
  return {
    depth: metrics.gauge({
      name: 'surehook_auth_hash_queue_depth',
      help: 'Password hashes that wait',
    }),
    refused: metrics.counter({
      name: 'surehook_auth_hash_refused_total',
      help: 'Password hashes refused because the wait would be too long',
    }),
    wait: metrics.histogram({
      name: 'surehook_auth_hash_wait_seconds',
      help: 'Time that a password hash waited',
      buckets,
    }),
    duration: metrics.histogram({
      name: 'surehook_auth_hash_duration_seconds',
      help: 'Time that a password hash took',
      buckets,
    }),
  }
}
