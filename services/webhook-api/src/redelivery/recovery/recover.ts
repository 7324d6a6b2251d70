import { randomUUID } from 'node:crypto'
import { countedDeliveries, type RecoverInput } from '@surehook/contracts/http/webhooks/deliveries'
import { unavailable } from '@surehook/service-kit/errors'
import { isRebuilding } from '../../rebuild/rebuild-store.ts'
import { lockedSubscription, ownSubscription } from '../../subscriptions/store/find-own.ts'
import { ahead } from '../../tenants/ahead.ts'
import type { ReadSlots } from '../../tenants/connection-slots.ts'
import type { KeyedWriter } from '../../tenants/keyed-writer.ts'
import type { Pools } from '../../tenants/open-database.ts'
import type { Tenant } from '../../tenants/tenant.ts'
import type { TenantCall } from '../../tenants/tenant-call.ts'
import { countDeadLetters, lacksJobs, type Span } from './dead-letters.ts'
import { insertRecovery } from './recovery-store.ts'

export type RecoverDeps = Pools & { slots: ReadSlots; writer: KeyedWriter; wake: () => void }

/**
 * Counts the dead letters of a span and starts a recovery. The worker continues it after any crash.
 */
export function recoverDeadLetters(deps: RecoverDeps) {
  return async (call: TenantCall, id: string, input: RecoverInput) => {
    const { since, until } = input
    const { tenant } = call
    const counted = await ahead(() => countOwn(deps, tenant, { id, ...input }))
    const request = { ...call, request: ['recoverWebhook', id, { since, until }] }
    const answer = await deps.writer.write(request, async (tx) => {
      const { id: subscriptionId } = await lockedSubscription(tx, id, tenant)
      const count = counted()
      // The time is taken under the lock: recoveries of a subscription run in the order of their
      // requests.
      const span = spanOf(subscriptionId, input)
      if (count > 0) await insertRecovery(tx, { ...span, id: randomUUID(), tenant })
      return { count }
    })
    deps.wake()
    return answer
  }
}

function spanOf(subscriptionId: string, { since, until }: RecoverInput): Span {
  const requestedAt = new Date()
  return { subscriptionId, since, until: until ?? requestedAt, requestedAt }
}

async function countOwn(
  { pool, historyPool, slots }: RecoverDeps,
  tenant: Tenant,
  { id, ...input }: RecoverInput & { id: string },
): Promise<number> {
  const own = await slots.read(tenant)(() => ownSubscription(pool, id, tenant))
  const span = spanOf(own.id, input)
  return slots.history(tenant)(async () => {
    if (await lacksJobs(historyPool, span))
      throw unavailable('The history has not read all of these deliveries yet')
    const count = await countDeadLetters(historyPool, span, countedDeliveries)
    if (await isRebuilding(historyPool)) throw unavailable('The history is being rebuilt')
    return count
  })
}
