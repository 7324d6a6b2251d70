import { deliveriesTopic } from '@surehook/contracts/topics'
import type { Messaging } from '@surehook/kafka/messaging'
import { openRecordReader } from '@surehook/kafka/readers/record-reader'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Pool } from 'pg'
import type { ConnectionSlots } from '../tenants/connection-slots.ts'
import { deliveryHistory } from './read/delivery-history.ts'
import { storedBodies } from './read/stored-bodies.ts'
import { type SearchDeliveries, searchDeliveries } from './search/search-deliveries.ts'
import { environmentStats } from './stats/environment-stats.ts'
import { webhookStats } from './stats/webhook-stats.ts'

export type HistoryOptions = Pick<Messaging, 'kafka' | 'codec'> & {
  pool: Pool
  slots: Pick<ConnectionSlots, 'read'>
  /** Of subscriptions without their own. */
  defaultDelays: readonly string[]
  log: Logger
}

export type History = ReturnType<typeof openHistory>

/** Opens the queries on the history of deliveries, with a reader of the bodies on their topic. */
export function openHistory({ pool, slots, kafka, codec, defaultDelays, log }: HistoryOptions) {
  const reader = openRecordReader({ kafka, topic: deliveriesTopic, log })
  const bodies = storedBodies({ reader, codec })
  const searchAll = searchDeliveries(pool)
  const search: SearchDeliveries = (tenant, query) =>
    slots.read(tenant)(() => searchAll(tenant, query))
  return {
    bodies,
    search,
    deliveries: deliveryHistory({ pool, slots, bodies, defaultDelays }),
    stats: webhookStats(pool, Date.now),
    statsOfAll: environmentStats(pool, Date.now),
    [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
  }
}
