import type { Logger } from 'pino'
import { boundedBy } from '../bounded.ts'
import { AppError, reasonOf } from '../errors.ts'
import type { RedisClient } from '../redis/client.ts'
import { fromZero, type Metrics } from '../telemetry/metrics.ts'
import { type Bucket, LocalBuckets, type Take, type Taken } from './bucket.ts'
import { Lease } from './lease.ts'
import { takeFromRedis } from './redis-buckets.ts'

/** A request waits no longer for Redis. */
const longestWaitMs = 100
/** Redis is not asked again for so long after it failed. */
const pauseMs = 1_000
const deleteEveryMs = 10_000

export type Spending = {
  /** The same caller always has the same buckets. */
  readonly caller: string
  readonly buckets: readonly Bucket[]
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
}

type Entry = { lease: Lease; waiting: number; renewing: Promise<void> | null }

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
    for (const [caller, { lease, waiting }] of entries) {
      if (waiting === 0 && lease.isIdle(deletedAt)) entries.delete(caller)
    }
  }

  function entryOf(caller: string): Entry {
    const known = entries.get(caller)
    if (known !== undefined) return known
    deleteIdle()
    const entry: Entry = { lease: new Lease(), waiting: 0, renewing: null }
    entries.set(caller, entry)
    return entry
  }

  async function renew(entry: Entry, { buckets, cost }: Spending): Promise<void> {
    const { lease, waiting } = entry
    try {
      lease.renewed(await takes(lease.renewal(buckets, { cost, waiting, now: now() })), now())
    } finally {
      entry.renewing = null
    }
  }

  /** Resolves with whether the request is admitted. */
  async function admit(entry: Entry, spending: Spending): Promise<boolean> {
    const { lease } = entry
    const { cost } = spending
    if (lease.spend(cost, now())) return true
    entry.waiting += cost
    try {
      while (!lease.isRefused(now())) {
        entry.renewing ??= renew(entry, spending)
        await entry.renewing
        if (lease.spend(cost, now())) return true
      }
      return false
    } finally {
      entry.waiting -= cost
    }
  }

  return {
    async spend(spending) {
      const entry = entryOf(spending.caller)
      const isAdmitted = await admit(entry, spending)
      spending.onHeaders(entry.lease.headers)
      if (isAdmitted) return
      refused.inc()
      const retryAfterS = entry.lease.retryAfterS(now())
      throw new AppError('RATE_LIMIT_EXCEEDED', 'Too many requests', { retryAfterS })
    },
  }
}

/** Takes from Redis, and from buckets of this process while Redis does not answer. */
function takesOf({ redis, metrics, log }: RequestLimiterOptions, now: () => number) {
  const leases = fromZero(
    metrics.counter({
      name: 'surehook_rate_limit_leases_total',
      help:
        'Points that were taken in advance. place=local: from a limit of this replica alone, ' +
        'because Redis did not answer',
      labelNames: ['place'],
    }),
    'place',
    ['redis', 'local'],
  )
  const local = new LocalBuckets(now)
  let isAway = false
  let askAgainAt = 0

  const fromRedis = async (take: Take): Promise<Taken | null> => {
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

  return async (take: Take): Promise<Taken> => {
    const taken = await fromRedis(take)
    leases.inc({ place: taken === null ? 'local' : 'redis' })
    return taken ?? local.take(take)
  }
}
