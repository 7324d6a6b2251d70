import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Pool } from 'pg'

/**
 * Exports the pool's connections by state. `waiting` counts requests that wait for a connection.
 */
export function observePool(metrics: Metrics, pool: Pool): void {
  metrics.gauge({
    name: 'surehook_postgres_pool_connections',
    help: 'Connections to PostgreSQL. waiting: requests without a connection',
    labelNames: ['state'],
    collect() {
      this.set({ state: 'busy' }, pool.totalCount - pool.idleCount)
      this.set({ state: 'idle' }, pool.idleCount)
      this.set({ state: 'waiting' }, pool.waitingCount)
    },
  })
}
