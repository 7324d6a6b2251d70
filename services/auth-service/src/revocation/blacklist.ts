import { randomUUID } from 'node:crypto'
import { boundedBy } from '@surehook/service-kit/bounded'
import { unavailable } from '@surehook/service-kit/errors'
import type { RedisClient } from '@surehook/service-kit/redis/client'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { AccessClaims } from '@surehook/token-verifier'
import type { TenantName } from '../platform/tenant.ts'
import { addScript, completeScript, type RedisRun, watchRun } from './redis-copy.ts'
import type { Revocation } from './revocation.ts'

export type Blacklist = {
  /** Rejects with 503 if Redis is down, or if it lacks revocations and cannot be given them. */
  isRevoked(tenant: TenantName, claims: Pick<AccessClaims, 'sid' | 'gen'>): Promise<boolean>
  /** Rejects with 503 if Redis is down. */
  requireRedis(): Promise<void>
  /** Resolves when Redis holds all of them. */
  add(revocations: readonly Revocation[]): Promise<void>
}

export type BlacklistOptions = {
  redis: RedisClient
  /** Reads every revocation that is still needed, in pages. */
  living: () => AsyncIterable<readonly Revocation[]>
  log: Logger
  onRebuild?: () => void
  /** The longest time for one page of a rebuild. */
  leaseMs?: number
}

const prefix = 'auth:revoked'
/**
 * Holds the id of the Redis run that was given every revocation. A flush deletes it, and a restart
 * changes the id.
 */
const markerKey = `${prefix}:complete`
const answerWithinMs = 2_000
const rebuildWithinMs = 5_000

export function createBlacklist(options: BlacklistOptions): Blacklist {
  const { redis } = options
  const run = watchRun(redis)
  const rebuild = createRebuild(options, run)

  /**
   * Reads a key and the marker in one round trip. Rebuilds first if the marker does not match the
   * run.
   */
  async function ask(key: string): Promise<string | null> {
    for (let tries = 1; tries <= 3; tries++) {
      const { runId, connection } = await bounded(run.current())
      const [complete, value] = await bounded(redis.mGet([markerKey, key]))
      // The connection changed, so another server may have answered.
      if (connection !== run.connection) continue
      if (complete === runId) return value ?? null
      await boundedBy(rebuildWithinMs, rebuild(), 'The blacklist is being rebuilt')
    }
    throw unavailable('Redis keeps changing')
  }

  return {
    async isRevoked(tenant, { sid, gen }) {
      const value = await ask(keyOf({ ...tenant, sessionId: sid }))
      return value !== null && gen < Number(value)
    },
    async requireRedis() {
      await ask(markerKey)
    },
    async add(revocations) {
      await bounded(addAll(redis, revocations))
    },
  }
}

const bounded = <T>(work: Promise<T>): Promise<T> =>
  boundedBy(answerWithinMs, work, 'Redis does not answer')

type KeyParts = Pick<Revocation, 'projectId' | 'environment' | 'sessionId'>

const keyOf = ({ projectId, environment, sessionId }: KeyParts): string =>
  `${prefix}:${projectId}/${environment}:${sessionId}`

/** Later writers never lower or shorten a bound, because copies may arrive out of order. */
async function addAll(redis: RedisClient, revocations: readonly Revocation[]): Promise<void> {
  await Promise.all(
    revocations.map((revocation) =>
      redis.eval(addScript, {
        keys: [keyOf(revocation)],
        arguments: [String(revocation.minGeneration), String(msLeft(revocation))],
      }),
    ),
  )
}

const msLeft = ({ expiresAt }: Revocation): number => Math.max(1, expiresAt.getTime() - Date.now())

/** Runs one rebuild at a time in this process. Replicas may rebuild in parallel. */
function createRebuild(options: BlacklistOptions, run: RedisRun) {
  const { redis, living, log, onRebuild, leaseMs = 60_000 } = options
  let running: Promise<void> | null = null

  async function rebuild(): Promise<void> {
    const { runId } = await bounded(run.current())
    const lease = `${prefix}:rebuild:${randomUUID()}`
    await redis.set(lease, '1', { PX: leaseMs })
    let count = 0
    for await (const page of living()) {
      await addAll(redis, page)
      count += page.length
      // Extends the lease for each page. If the lease is gone, Redis was flushed, and the copied
      // pages with it.
      if ((await redis.pExpire(lease, leaseMs)) === 0) break
    }
    // Sets the marker only if the lease still exists and the server is the same: nothing was
    // flushed since.
    const args = { keys: [lease, markerKey], arguments: [runId] }
    const complete = (await redis.eval(completeScript, args)) === 1
    onRebuild?.()
    log.warn({ count, complete }, 'blacklist.rebuilt')
  }

  return (): Promise<void> => {
    running ??= rebuild().finally(() => {
      running = null
    })
    return running
  }
}
