import { FairSlots } from '@surehook/service-kit/slots/fair-slots'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { ClientLine } from '../limits/client-line.ts'
import { NoHashRoomError } from '../limits/no-hash-room-error.ts'

export type HashQueueOptions = {
  /**
   * How many lanes run at once. A lane uses one core; one argon2id hash uses one lane and 19 MiB.
   */
  concurrency: number
  /** A job that would wait longer than about this is refused at once. */
  maxWaitMs: number
  metrics: Metrics
  now?: () => number
}

export type HashQueue = {
  /**
   * Throws the refusal that `run` would throw now. Call it before a request that needs a hash does
   * any other work.
   */
  assertCapacity(line: ClientLine): void
  /**
   * Runs `work` when it gets its lanes. Rejects with NoHashRoomError if the wait would be too long.
   */
  run<T>(job: HashJob<T>): Promise<T>
}

export type HashJob<T> = {
  line: ClientLine
  work: () => Promise<T>
  /** How many cores the work uses; 1 by default. */
  lanes?: number
  /** How many default hashes the work costs on each of its cores; 1 by default. */
  hashes?: number
}

const firstGuessMs = 40
/** The weight of the newest duration in the moving average. */
const weight = 0.1

/**
 * Queues the hashes, because each uses a whole core. More at once would slow everything down, and
 * an unbounded queue would make every answer late. The room is the number of default hashes that
 * finish within `maxWaitMs`. A job that costs more fills more of it, and uses up as many turns. Tenants, and the networks of a tenant's clients, share the room and are
 * served in turn.
 */
export function createHashQueue(options: HashQueueOptions): HashQueue {
  const { concurrency, maxWaitMs, metrics, now = () => performance.now() } = options
  let expectedMs = firstGuessMs
  const slots = new FairSlots({
    room: { all: concurrency },
    waiting: () => {
      const all = (maxWaitMs * concurrency) / expectedMs
      return { all, each: all / 2 }
    },
    maxWaitMs: patience * maxWaitMs,
    refusal: () => {
      meters.refused.inc()
      return new NoHashRoomError()
    },
  })
  const meters = queueMeters(metrics, () => slots.waiting)
  return {
    assertCapacity: (line) => slots.assertRoom(line),
    async run({ line, work, lanes = 1, hashes = 1 }) {
      const askedAt = now()
      using _lanes = await slots.take(line, { slots: lanes, weight: lanes * hashes })
      const startedAt = now()
      meters.wait.observe((startedAt - askedAt) / 1000)
      try {
        return await work()
      } finally {
        const tookMs = now() - startedAt
        expectedMs += weight * (tookMs / hashes - expectedMs)
        meters.duration.observe(tookMs / 1000)
      }
    },
  }
}

/** No job waits longer than this many times `maxWaitMs`, although others may be served first. */
const patience = 3

function queueMeters(metrics: Metrics, waiting: () => number) {
  const buckets = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]
  return {
    depth: metrics.gauge({
      name: 'surehook_auth_hash_queue_depth',
      help: 'Password hashes that wait',
      collect() {
        this.set(waiting())
      },
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
