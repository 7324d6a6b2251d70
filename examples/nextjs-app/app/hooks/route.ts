import { memoryStore } from '@surehook/receiver'
import { nextReceiver } from '@surehook/receiver/next'
import type { Order } from '../../lib/order'

const openReceiver = () =>
  nextReceiver<Order>({
    // During a rotation: the old secret and the new one.
    secrets: JSON.parse(process.env['WEBHOOK_SECRETS'] ?? '[]') as string[],
    // Replicas do not share it: in production, keep the ids of deliveries in your database.
    store: memoryStore(),
    onEvent({ operation, record }) {
      console.log(`${operation} of the order ${record.id} of ${record.customer}`)
    },
  })

let receiver: ReturnType<typeof openReceiver> | undefined

/** Reads the secrets at the first delivery: `next build` loads this file and has none. */
export function POST(request: Request): Promise<Response> {
  receiver ??= openReceiver()
  return receiver(request)
}
