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
/**
 * Every part of it that takes no time from what is measured: all limits are those of the
 * installation.
 */
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
 * Two subscriptions to `orders`: to all records; and to half of them, with every 20th event refused
 * at first.
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
    answering(receiver, { name: 'all', id: allId, path: all, wants: isOrder, own: undefined }),
    answering(
      receiver,
      { name: 'even', id: evenId, path: even, wants: isEven, own },
      refusesEvery20th,
    ),
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
  const subscription = { name: 'published', id, path, wants, own: undefined }
  return answering(receiver, subscription, refusesEvery20th)
}

/** Attempts of the installation's schedule, which a dead letter has had. */
const attempts = 5

/**
 * Subscribes to the other half of the records, and refuses some events until they are dead letters.
 * Only one at a time: with others in between, the circuit stays closed.
 */
export async function subscribeDoomed(tenant: Tenant, receiver: Receiver): Promise<Subscriber> {
  const path = `/doomed-${randomUUID()}`
  const { id } = await tenant.subscribe(receiver.url(path), { filter: { lane: 'odd' } })
  const wants = ({ table, lane }: Story) => table === ordersTable && lane === 'odd'
  const doomed = new Map<string, number>()
  let present: string | null = null
  const refuses: Refuses = (event, nth) => {
    if (present === null && nth > 0) present = event
    if (event === present) doomed.set(event, (doomed.get(event) ?? 0) + 1)
    if (doomed.get(event) === attempts) present = null
    return doomed.has(event)
  }
  return answering(receiver, { name: 'doomed', id, path, wants, own: undefined }, refuses)
}

/** @param nth the event is the nth; 0 for a later try of it */
type Refuses = (event: string, nth: number) => boolean

const refusesNone: Refuses = () => false
const refusesEvery20th: Refuses = (_event, nth) => nth > 0 && nth % 20 === 0

/** Refuses the tries that `refuses` names, and everything while `away`. */
export function answering(
  receiver: Receiver,
  subscription: Pick<Subscriber, 'name' | 'id' | 'path' | 'wants' | 'own'>,
  refuses: Refuses = refusesNone,
): Subscriber {
  const refused = new Map<string, number>()
  const accepted = new Map<string, number>()
  const seen = new Set<string>()
  const subscriber: Subscriber = { ...subscription, away: false, refused, accepted }
  receiver.answer(subscription.path, ({ headers, at }) => {
    const event = headers['x-service-delivery'] ?? ''
    const isRefused = refuses(event, seen.has(event) ? 0 : seen.size + 1)
    seen.add(event)
    if (!subscriber.away && !isRefused) {
      if (!accepted.has(event)) accepted.set(event, at)
      return { status: 204 }
    }
    refused.set(event, (refused.get(event) ?? 0) + 1)
    const asks = isRefused && subscription.own !== undefined
    return { status: 503, ...(asks && { headers: { 'retry-after': '1' } }) }
  })
  return subscriber
}
