import type { RedisClient } from '@surehook/service-kit/redis/client'
import type { Logger } from '@surehook/service-kit/telemetry/log'

/**
 * Logs an error if Redis may evict keys: an evicted revocation, limit or lockout looks as if it
 * never existed. The service starts in any case, because Redis may forbid `CONFIG`.
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
