import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Delivery } from '@surehook/contracts/http/webhooks/webhooks'
import { parseDuration } from '@surehook/service-kit/time'
import { waitUntil } from '@surehook/service-kit/wait-until'
import { expectStatus } from '../client/call.ts'
import { createTenant, type Tenant } from '../client/tenant.ts'
import { state } from '../lib/paths.ts'
import type { RunningSystem } from '../lib/running-system.ts'
import { ensureDemoCa } from '../receiver/demo-ca.ts'
import { openReceiver, type Receipt, type Receiver } from '../receiver/receiver.ts'
import { DemoFault } from './expect-that.ts'

/**
 * The tenant, receiver and times that every act of the demo uses. Disposing cleans up in the
 * running system.
 */
export type Stage = AsyncDisposable & {
  readonly tenant: Tenant
  readonly receiver: Receiver
  readonly subscriptionId: string
  readonly secret: string
  /** The delays before the second attempt, the third, and so on. */
  readonly delaysMs: readonly number[]
  readonly cooldownMs: number
  say(line: string): void
  deliveries(): Promise<Delivery[]>
  /** Resolves with all receipts once there are at least `count`. */
  arrived(count: number, withinMs?: number): Promise<readonly Receipt[]>
}

export const receiverPath = '/hooks'
const columns = { customer: 'text', status: 'text', total: 'decimal' }

export async function openStage(
  running: RunningSystem,
  say: (line: string) => void,
): Promise<Stage> {
  const delaysMs = running.retryDelays.map(parseDuration)
  const cooldownMs = parseDuration(running.circuitCooldown)
  await using opening = new AsyncDisposableStack()
  const receiver = opening.use(await openDemoReceiver(running))
  const tenant = await createTenant(running, {
    projectId: `demo-${randomBytes(4).toString('hex')}`,
  })
  await tenant.putTable('orders', columns)
  opening.defer(async () => {
    expectStatus(204, await tenant.rest('DELETE _tables/orders'))
  })
  const secret = `whsec_${randomBytes(24).toString('base64')}`
  const { id, url } = await tenant.subscribe(receiver.url(receiverPath), { secret })
  opening.defer(async () => {
    expectStatus(204, await tenant.webhooks(`DELETE /${id}`))
  })
  say(`  project ${tenant.projectId}, environment ${tenant.environment}`)
  say(`  table orders (${Object.keys(columns).join(', ')})`)
  say(`  subscription to INSERT, UPDATE, DELETE at ${url}`)
  const resources = opening.move()
  const deliveries = () => tenant.deliveries(id)
  return {
    tenant,
    receiver,
    subscriptionId: id,
    secret,
    delaysMs,
    cooldownMs,
    say,
    deliveries,
    arrived: (count, withinMs = 10_000) =>
      receiver.waitFor(receiverPath, count, withinMs).catch(async (err: unknown) => {
        throw new DemoFault(`${(err as Error).message}\n${inWords(await deliveries())}`)
      }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function openDemoReceiver({ receiverHost }: RunningSystem): Promise<Receiver> {
  const { keyFile, certificateFile } = await ensureDemoCa(state.demoCaDir)
  const [key, cert] = await Promise.all([
    readFile(keyFile, 'utf8'),
    readFile(certificateFile, 'utf8'),
  ])
  // Requests from a container come from another network than the loopback one.
  const elsewhere = receiverHost === undefined ? {} : { host: '0.0.0.0', name: receiverHost }
  return openReceiver({ key, cert, ...elsewhere })
}

/** Waits until the delivery log matches. The error contains the last log read. */
export async function deliveriesWhen(
  stage: Stage,
  { what, within, areSo }: { what: string; within: number; areSo: (all: Delivery[]) => boolean },
): Promise<Delivery[]> {
  let last: Delivery[] = []
  const look = async () => {
    last = await stage.deliveries()
    return areSo(last)
  }
  await waitUntil(look, { what, timeoutMs: within }).catch((err: unknown) => {
    throw new DemoFault(`${(err as Error).message}\n${inWords(last)}`)
  })
  return last
}

function inWords(deliveries: readonly Delivery[]): string {
  const lines = deliveries.map(
    ({ eventId, status, attempts, httpStatus, lastError }) =>
      `  event ${eventId}: ${status}, attempts ${attempts}, HTTP ${httpStatus}, ${lastError}`,
  )
  return ['the delivery log says:', ...(lines.length > 0 ? lines : ['  nothing'])].join('\n')
}
