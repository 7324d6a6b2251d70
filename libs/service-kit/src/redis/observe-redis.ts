import type { Metrics } from '../telemetry/metrics.ts'
import type { RedisClient } from './client.ts'

export function observeRedis(metrics: Metrics, client: Pick<RedisClient, 'isReady'>): void {
  metrics.gauge({
    name: 'surehook_redis_connected',
    help: '1 while Redis answers',
    collect() {
      this.set(client.isReady ? 1 : 0)
    },
  })
}
