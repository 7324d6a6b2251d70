import { randomUUID } from 'node:crypto'
import type { DeliveryAttempt, DeliveryStatus } from '@surehook/contracts/events'
import { anAttempt } from '@surehook/contracts/testing/samples'
import { attemptsTopic } from '@surehook/contracts/topics'
import { type Client } from '@surehook/scripts/client/call'
import { until } from '@surehook/testing/until'
import type { Tenant, World } from './under-test.ts'

type Teller = { world: World; tenant: Tenant; client: Client }

/**
 * Publishes attempts of new deliveries, each this many milliseconds ago. Each is published after
 * the one before was read.
 */
export async function publishAttempts(
  { world, tenant: { projectId, environment }, client }: Teller,
  id: string,
  attempts: readonly [agoMs: number, status: DeliveryStatus, fields?: Partial<DeliveryAttempt>][],
): Promise<void> {
  for (const [agoMs, status, fields] of attempts) {
    const at = Date.now() - agoMs
    const deliveryId = randomUUID()
    const place = { deliveryId, subscriptionId: id, projectId, environment }
    const transition = anAttempt({
      ...{ ...place, status, at, createdAt: at, eventId: randomUUID() },
      ...fields,
    })
    const value = world.codec.attempt.encode(transition)
    await world.producer.send([{ topic: attemptsTopic, key: deliveryId, value }])
    const isRead = async () => {
      const { text } = await client.call(`GET /${id}/deliveries?limit=1000`)
      return text.includes(deliveryId)
    }
    await until(isRead, { what: 'the transition in the log' })
  }
}
