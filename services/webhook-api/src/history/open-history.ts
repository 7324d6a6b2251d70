import { deliveriesTopic } from '@surehook/contracts/topics'
import type { Messaging } from '@surehook/kafka/messaging'
import { openRecordReader } from '@surehook/kafka/readers/record-reader'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { ReadSlots } from '../tenants/connection-slots.ts'
import type { Pools } from '../tenants/open-database.ts'
import { deliveryHistory } from './read/delivery-history.ts'
import { storedBodies } from './read/stored-bodies.ts'
import { searchDeliveries } from './search/search-deliveries.ts'
import { environmentStats } from './stats/environment-stats.ts'
import { webhookStats } from './stats/webhook-stats.ts'

export type HistoryOptions = Pools &
  Pick<Messaging, 'kafka' | 'codec'> & {
    slots: ReadSlots
    /** Of subscriptions without their own. */
    defaultDelays: readonly string[]
    log: Logger
  }

export type History = ReturnType<typeof openHistory>

/** Opens the queries on the history of deliveries, with a reader of the bodies on their topic. */
export function openHistory(options: HistoryOptions) {
  const { pool, historyPool, slots, kafka, codec, defaultDelays, log } = options
  const reader = openRecordReader({ kafka, topic: deliveriesTopic, log })
  const bodies = storedBodies({ reader, codec })
  const pools = { pool, historyPool, slots }
  return {
    bodies,
    search: searchDeliveries(pools),
    deliveries: deliveryHistory({ ...pools, bodies, defaultDelays }),
    stats: webhookStats({ ...pools, now: Date.now }),
    statsOfAll: environmentStats({ ...pools, now: Date.now }),
    [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
  }
}
