import { randomUUID } from 'node:crypto'
import type { Tenant } from '@surehook/scripts/client/tenant'
import type { Receiver } from '@surehook/scripts/receiver/receiver'
import { ordersTable, publishedTable } from '../change-transports.ts'
import { loadColumns, type Story } from './load.ts'

export type Subscriber = {
  name: string
  id: string
  path: string
  wants: (story: Story) => boolean
  /** The value of the header that each attempt has, if its policy says so. */
  own: string | undefined
  /** While true it answers every request with a 503. */
  away: boolean
  /** The number of refused tries of each event. */
  readonly refused: ReadonlyMap<string, number>
  /** When each event was first accepted, in epoch ms. */
  readonly accepted: ReadonlyMap<string, number>
}

/** The header of the subscription with a policy. */
export const ownHeader = { name: 'x-faults', value: 'of-the-even' }
/** Every part of it that takes no time from what is measured: all limits are those of the installation. */
const harmlessPolicy = {
  headers: { [ownHeader.name]: ownHeader.value },
  retryAfter: true,
  gone: 'deactivate',
  retryDelays: ['100ms', '200ms', '300ms', '400ms'],
  concurrency: 32,
  rateLimit: { perSecond: 1_000 },
  ordered: 'record',
}

/**
 * Two subscriptions to `orders`: to all records; and to half of them, with every 20th event refused at first.
 * @param hasPolicy the second has a delivery policy, and its refusals a `Retry-After`
 */
export async function subscribeTwice(
  tenant: Tenant,
  receiver: Receiver,
  { hasPolicy }: { hasPolicy: boolean } = { hasPolicy: false },
): Promise<Subscriber[]> {
  await tenant.putTable('orders', loadColumns)
  const all = `/all-${randomUUID()}`
  const even = `/even-${randomUUID()}`
  const { id: allId } = await tenant.subscribe(receiver.url(all))
  const { id: evenId } = await tenant.subscribe(receiver.url(even), {
    filter: { lane: 'even' },
    ...(hasPolicy && { policy: harmlessPolicy }),
  })
  const isOrder = ({ table }: Story) => table === ordersTable
  const isEven = (story: Story) => isOrder(story) && story.lane === 'even'
  const own = hasPolicy ? ownHeader.value : undefined
  return [
    answering(
      receiver,
      { name: 'all', id: allId, path: all, wants: isOrder, own: undefined },
      Infinity,
    ),
    answering(receiver, { name: 'even', id: evenId, path: even, wants: isEven, own }, 20),
  ]
}

/** Subscribes to the changes that are published over HTTP. */
export async function subscribeToPublished(
  tenant: Tenant,
  receiver: Receiver,
): Promise<Subscriber> {
  const path = `/published-${randomUUID()}`
  const { id } = await tenant.subscribe(receiver.url(path), { table: publishedTable })
  const wants = ({ table }: Story) => table === publishedTable
  return answering(receiver, { name: 'published', id, path, wants, own: undefined }, 20)
}

/** Refuses the first try of every nth event, and everything while `away`. */
function answering(
  receiver: Receiver,
  subscription: Pick<Subscriber, 'name' | 'id' | 'path' | 'wants' | 'own'>,
  nth: number,
): Subscriber {
  const refused = new Map<string, number>()
  const accepted = new Map<string, number>()
  const seen = new Set<string>()
  const subscriber: Subscriber = { ...subscription, away: false, refused, accepted }
  receiver.answer(subscription.path, ({ headers, at }) => {
    const event = headers['x-service-delivery'] ?? ''
    const isNth = !seen.has(event) && (seen.size + 1) % nth === 0
    seen.add(event)
    if (!subscriber.away && !isNth) {
      if (!accepted.has(event)) accepted.set(event, at)
      return { status: 204 }
    }
    refused.set(event, (refused.get(event) ?? 0) + 1)
    return { status: 503, ...(isNth && subscription.own && { headers: { 'retry-after': '1' } }) }
  })
  return subscriber
}
