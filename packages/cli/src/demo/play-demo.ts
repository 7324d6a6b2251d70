import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Delivery } from '@surehook/contracts/http/webhooks/webhooks'
import { Failure } from '../cli/command.ts'
import type { Platform } from '../lib/platform-client.ts'
import { type DemoReceiver, isSigned } from './demo-receiver.ts'
import { type DemoTenant, openDemoTenant } from './demo-tenant.ts'

export type DemoOptions = {
  platform: Platform
  /** If `null`, webhooks go to an address that does not exist. */
  receiver: { url: string; open: DemoReceiver } | null
  signal: AbortSignal
  say(line: string): void
}

/** RFC 2606 §2 reserves `.invalid`: the name never resolves. */
const nowhere = 'https://receiver.invalid/hooks'
const pollMs = 200

/**
 * Follows a change through the whole system up to the receiver and its signature, or up to the
 * first attempt if there is no receiver. It deletes what it created.
 */
export async function playDemo({ platform, receiver, signal, say }: DemoOptions): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const tenant = opened.use(await openDemoTenant(platform))
  say(`project ${tenant.projectId}`)
  const columns = [{ name: 'customer', type: 'text' }]
  await tenant.rest('PUT _tables/orders', { columns })
  opened.defer(() => tenant.rest('DELETE _tables/orders'))
  const secret = `whsec_${randomBytes(24).toString('base64')}`
  const url = receiver?.url ?? nowhere
  const webhook = await tenant.rest<{ id: string }>('POST _webhooks', {
    projectId: tenant.projectId,
    environment: 'master',
    table: 'orders',
    events: ['INSERT'],
    url,
    secret,
  })
  opened.defer(() => tenant.rest(`DELETE _webhooks/${webhook.id}`))
  say(`subscription to INSERT of orders at ${url}`)
  const record = await tenant.rest<{ id: string }>('POST orders', { customer: 'Ada' })
  say(`record ${record.id}`)
  const isDone = ({ status, attempts }: Delivery) =>
    receiver === null ? attempts > 0 : status === 'delivered'
  const { status, lastError } = await deliveryWhen(isDone, { tenant, id: webhook.id, signal })
  if (receiver === null) return say(`first attempt made (${lastError ?? status}): all parts work`)
  checkReceipts(receiver.open, { recordId: record.id, secret })
  say('delivered, with a valid signature: all parts work')
}

type Watching = { tenant: DemoTenant; id: string; signal: AbortSignal }

async function deliveryWhen(
  isDone: (delivery: Delivery) => boolean,
  { tenant, id, signal }: Watching,
): Promise<Delivery> {
  let last: Delivery | undefined
  while (!signal.aborted) {
    const { deliveries } = await tenant.rest<{ deliveries: Delivery[] }>(`GET _webhooks/${id}`)
    last = deliveries[0]
    if (last !== undefined && isDone(last)) return last
    // An abort rejects the sleep. The loop's condition reports it.
    await sleep(pollMs, undefined, { signal }).catch(() => undefined)
  }
  const seen =
    last === undefined
      ? 'there is no delivery yet'
      : `the delivery is ${last.status} after ${last.attempts} attempts, last error: ${last.lastError ?? 'none'}`
  throw new Failure(`not delivered in time: ${seen}`, { delivery: last ?? null })
}

function checkReceipts(
  { receipts }: DemoReceiver,
  { recordId, secret }: { recordId: string; secret: string },
): void {
  const mine = receipts.find(({ body }) => body.includes(recordId))
  if (mine === undefined) throw new Failure('delivered, but not to this receiver')
  if (!isSigned(mine, secret)) throw new Failure('the signature does not match the body')
}
