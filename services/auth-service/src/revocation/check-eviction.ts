import type { RedisClient } from '@surehook/service-kit/redis/client'
import type { Logger } from '@surehook/service-kit/telemetry/log'

/**
 * Logs when Redis may evict: a revocation, a limit or a lockout that was evicted looks as if it had
 * never been. Where `CONFIG` is forbidden nobody can know; the service runs in any case.
 */
export async function checkEviction(
  redis: Pick<RedisClient, 'configGet'>,
  log: Pick<Logger, 'error' | 'warn'>,
): Promise<void> {
  try {
    const { 'maxmemory-policy': policy } = await redis.configGet('maxmemory-policy')
    if (policy === 'noeviction') return
    if (policy === undefined) log.warn({ wanted: 'noeviction' }, 'redis.eviction.unknown')
    else log.error({ policy, wanted: 'noeviction' }, 'redis.may.evict')
  } catch (err) {
    log.warn({ err, wanted: 'noeviction' }, 'redis.eviction.unknown')
  }
}
