import { randomUUID } from 'node:crypto'
import { countedDeliveries, type RecoverInput } from '@surehook/contracts/http/webhooks/deliveries'
import { unavailable } from '@surehook/service-kit/errors'
import type { Pool } from 'pg'
import { isRebuilding } from '../../rebuild/rebuild-store.ts'
import { lockedSubscription } from '../../subscriptions/store/find-own.ts'
import type { KeyedWriter } from '../../tenants/keyed-writer.ts'
import type { TenantCall } from '../../tenants/tenant-call.ts'
import { countDeadLetters, lacksJobs } from './dead-letters.ts'
import { insertRecovery } from './recovery-store.ts'

export type RecoverDeps = { writer: KeyedWriter; historyPool: Pool; wake: () => void }

/**
 * Counts the dead letters of a span and starts a recovery. The worker continues it after any crash.
 */
export function recoverDeadLetters({ writer, historyPool, wake }: RecoverDeps) {
  return async (call: TenantCall, id: string, { since, until }: RecoverInput) => {
    const { tenant } = call
    const request = { ...call, request: ['recoverWebhook', id, { since, until }] }
    const answer = await writer.write(request, async (tx) => {
      const { id: subscriptionId } = await lockedSubscription(tx, id, tenant)
      const requestedAt = new Date()
      const span = { subscriptionId, since, until: until ?? requestedAt, requestedAt }
      if (await lacksJobs(historyPool, span))
        throw unavailable('The history has not read all of these deliveries yet')
      const count = await countDeadLetters(historyPool, span, countedDeliveries)
      if (await isRebuilding(historyPool)) throw unavailable('The history is being rebuilt')
      if (count > 0) await insertRecovery(tx, { ...span, id: randomUUID(), tenant })
      return { count }
    })
    wake()
    return answer
  }
}
