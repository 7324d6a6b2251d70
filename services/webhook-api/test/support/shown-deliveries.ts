import { aJob } from '@surehook/contracts/testing/samples'
import type { Pool } from 'pg'
import { findDeliveries } from '../../src/history/read/find-deliveries.ts'
import { findDelivery, showDelivery } from '../../src/history/read/find-delivery.ts'
import { storedBodies } from '../../src/history/read/stored-bodies.ts'
import { toDelivery } from '../../src/history/rows/delivery-row.ts'

/** The jobs of a test without Kafka are on no topic. */
const bodies = storedBodies({
  reader: { readFrom: async () => [] },
  codec: { job: { encode: () => Buffer.alloc(0), decode: () => aJob() } },
})

/** Shows the rows of a history that a test writes directly. */
export const shownDeliveries = (pool: Pool) => ({
  async newest(subscriptionId: string, limit = 50) {
    return (await findDeliveries(pool, { subscriptionId, limit })).map(toDelivery)
  },
  async detail(of: { subscriptionId: string; deliveryId: string }) {
    const { projectId, environment } = aJob()
    const row = await findDelivery(pool, { ...of, tenant: { projectId, environment } })
    return row && showDelivery(bodies, row)
  },
})
