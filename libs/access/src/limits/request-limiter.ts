import { boundedBy } from '@surehook/service-kit/bounded'
import { AppError, reasonOf } from '@surehook/service-kit/errors'
import type { RedisClient } from '@surehook/service-kit/redis/client'
import { fromZero, type Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Logger } from 'pino'
import { type Bucket, LocalBuckets, type Take, type TakeResult } from './bucket.ts'
import { Lease } from './lease.ts'
import { takeFromRedis } from './redis-buckets.ts'

/** A request waits no longer for Redis. */
const defaultLongestWaitMs = 250
/** Redis is not asked again for so long after it failed. */
const pauseMs = 1_000
const deleteEveryMs = 10_000

export type Spending = {
  /** Callers with the same buckets, and only they, have the same name. */
  readonly caller: string
  /** Called when the caller needs another lease, so that their limits may change. */
  readonly buckets: () => readonly Bucket[]
  readonly cost: number
  /** Called with the headers of the answer, whether the request is admitted or not. */
  readonly onHeaders: (headers: { policy: string; standing: string }) => void
}

export type RequestLimiter = {
  /** Spends the cost, or rejects with RATE_LIMIT_EXCEEDED. */
  spend(spending: Spending): Promise<void>
}

export type RequestLimiterOptions = {
  /** The connection once there is one. Without it this process limits alone. */
  redis: () => Pick<RedisClient, 'eval'> | null
  metrics: Metrics
  log: Logger
  now?: () => number
  longestWaitMs?: number
}

type Takes = (take: Take) => Promise<TakeResult>

/** The lease of one caller, and the requests that wait for it. */
class Entry {
  readonly lease = new Lease()
  #waiting = 0
  #renewing: Promise<void> | null = null
  readonly #takes: Takes
  readonly #now: () => number

  constructor(takes: Takes, now: () => number) {
    this.#takes = takes
    this.#now = now
  }

  isIdle(now: number): boolean {
    return this.#waiting === 0 && this.lease.isIdle(now)
  }

  /** Resolves with whether the request is admitted. */
  async admit(spending: Spending): Promise<boolean> {
    const { cost } = spending
    if (this.lease.spend(cost, this.#now())) return true
    this.#waiting += cost
    try {
      while (!this.lease.isRefused(cost, this.#now())) {
        this.#renewing ??= this.#renew(spending)
        await this.#renewing
        if (this.lease.spend(cost, this.#now())) return true
      }
      return false
    } finally {
      this.#waiting -= cost
    }
  }

  async #renew({ buckets, cost }: Spending): Promise<void> {
    const asked = { cost, waiting: this.#waiting, now: this.#now() }
    try {
      this.lease.renewed(await this.#takes(this.lease.renewal(buckets(), asked)), this.#now())
    } finally {
      this.#renewing = null
    }
  }
}

/**
 * Limits requests over all replicas with token buckets in Redis. Each replica takes points in
 * advance, so that most requests need no Redis.
 */
export function createRequestLimiter(options: RequestLimiterOptions): RequestLimiter {
  const { metrics, now = () => performance.now() } = options
  const takes = takesOf(options, now)
  const refused = metrics.counter({
    name: 'surehook_rate_limit_refused_total',
    help: 'Requests that got 429 because a project or a token used up its limit',
  })
  const entries = new Map<string, Entry>()
  let deletedAt = 0

  function deleteIdle(): void {
    if (now() - deletedAt < deleteEveryMs) return
    deletedAt = now()
    for (const [caller, entry] of entries) {
      if (entry.isIdle(deletedAt)) entries.delete(caller)
    }
  }

  function entryOf(caller: string): Entry {
    const known = entries.get(caller)
    if (known !== undefined) return known
    deleteIdle()
    const entry = new Entry(takes, now)
    entries.set(caller, entry)
    return entry
  }

  return {
    async spend(spending) {
      const entry = entryOf(spending.caller)
      const isAdmitted = await entry.admit(spending)
      spending.onHeaders(entry.lease.headers)
      if (isAdmitted) return
      refused.inc()
      const retryAfterS = entry.lease.retryAfterS(now())
      throw new AppError('RATE_LIMIT_EXCEEDED', 'Too many requests', { retryAfterS })
    },
  }
}

/** Takes from Redis, and from buckets of this process while Redis does not answer. */
function takesOf(options: RequestLimiterOptions, now: () => number): Takes {
  const { redis, metrics, log, longestWaitMs = defaultLongestWaitMs } = options
  const leases = fromZero(
    metrics.counter({
      name: 'surehook_rate_limit_leases_total',
      help: 'Attempts to take points in advance. place=local: Redis did not answer, and this replica limits alone',
      labelNames: ['place'],
    }),
    'place',
    ['redis', 'local'],
  )
  const local = new LocalBuckets(now)
  let isAway = false
  let askAgainAt = 0

  const fromRedis = async (take: Take): Promise<TakeResult | null> => {
    const client = redis()
    if (client === null || now() < askAgainAt) return null
    try {
      const taken = await boundedBy(longestWaitMs, takeFromRedis(client, take), 'Redis is slow')
      if (isAway) log.info('limits.shared')
      isAway = false
      return taken
    } catch (err) {
      if (!isAway) log.warn({ reason: reasonOf(err) }, 'limits.local')
      isAway = true
      askAgainAt = now() + pauseMs
      return null
    }
  }

  return async (take) => {
    const taken = await fromRedis(take)
    leases.inc({ place: taken === null ? 'local' : 'redis' })
    if (taken === null) return local.take(take)
    // Without Redis the replica goes on from here, and not with full buckets.
    local.keep(take.buckets, taken.levels)
    return taken
  }
}
