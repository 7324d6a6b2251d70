import type { TenantSlots } from '@surehook/access/limits/tenant-slots'
import type { DeliveryStatus, SubscriptionVersion } from '@surehook/contracts/events'
import { firstFailure } from '@surehook/contracts/filter/first-failure'
import { type Explanation, lookLimits } from '@surehook/contracts/http/webhooks/log'
import type { Delivery } from '@surehook/contracts/http/webhooks/webhooks'
import { changesKeptMs } from '@surehook/contracts/topics'
import { mismatchOf } from '@surehook/matching/mismatch'
import type { Change } from '@surehook/matching/read-change'
import { AppError } from '@surehook/service-kit/errors'
import type { Pool } from 'pg'
import type { ChangeLog } from '../../change-log/change-log.ts'
import { findDeliveries } from '../../history/read/find-deliveries.ts'
import { toDelivery } from '../../history/rows/delivery-row.ts'
import { ownSubscription } from '../../subscriptions/store/find-own.ts'
import type { SubscriptionRow } from '../../subscriptions/store/subscription-row.ts'
import { findVersions } from '../../subscriptions/store/subscription-versions.ts'
import type { ReadSlots } from '../../tenants/connection-slots.ts'
import type { Pools } from '../../tenants/open-database.ts'
import type { Tenant } from '../../tenants/tenant.ts'
import { timeInId } from './event-time.ts'
import { versionAt } from './version-at.ts'

export type ExplainDeps = Pools & {
  slots: ReadSlots
  changeLog: Pick<ChangeLog, 'find'>
  reads: TenantSlots
  now: () => number
}

export type ExplainQuery = { eventId: string; timestamp?: Date | undefined }

export type Verdict = Omit<Explanation, 'eventId'>

/** Explains why a change was or was not delivered to a subscription. */
export function createExplain(deps: ExplainDeps) {
  return async (tenant: Tenant, id: string, query: ExplainQuery): Promise<Explanation> => {
    const eventId = query.eventId.toLowerCase()
    const { pool, historyPool, slots } = deps
    const subscription = await slots.read(tenant)(() => ownSubscription(pool, id, tenant))
    const delivery = await slots.history(tenant)(
      async () =>
        (await newestDelivery(historyPool, subscription.id, eventId)) ??
        // A publisher may write its ids in capitals, and the history keeps them so.
        (await newestDelivery(historyPool, subscription.id, eventId.toUpperCase())),
    )
    const verdict =
      delivery === undefined
        ? await withoutDelivery(deps, { ...query, eventId, tenant, subscription })
        : deliveryVerdict(toDelivery(delivery))
    return { eventId, ...verdict }
  }
}

/** Prefers the original delivery to a redelivery. */
async function newestDelivery(historyPool: Pool, subscriptionId: string, eventId: string) {
  const found = await findDeliveries(historyPool, { subscriptionId, eventId, limit: 50 })
  return found.find(({ redelivery_of }) => redelivery_of === null) ?? found[0]
}

const reasons: Record<DeliveryStatus, string> = {
  pending: 'It matches and waits for its first attempt',
  delivered: 'It matched and the receiver took it',
  retrying: 'It matched; the last attempt failed and there will be another',
  paused: 'It matched and waits: the subscription is inactive, or its endpoint failed too often',
  dead_letter: 'It matched, and the last attempt failed',
  cancelled: 'It matched, and was cancelled',
}

/** Explains a change with a delivery. */
export function deliveryVerdict(delivery: Delivery): Verdict {
  const { status, lastError } = delivery
  const error = lastError === null || status === 'delivered' ? '' : `: ${lastError}`
  return { outcome: status, reason: `${reasons[status]}${error}`, delivery }
}

type Question = ExplainQuery & { tenant: Tenant; subscription: SubscriptionRow }

async function withoutDelivery(deps: ExplainDeps, question: Question): Promise<Verdict> {
  const { tenant, subscription } = question
  const change = await findChange(deps, tenant, question)
  if (change === 'absent') throw new AppError('EVENT_NOT_FOUND', 'There is no such change')
  if (typeof change === 'string') return unknownVerdict(change)
  const readVersions = () => findVersions(deps.pool, subscription.id)
  return changeVerdict(change, subscription, await deps.slots.read(tenant)(readVersions))
}

/** Why a change is not at hand: there is none, or the log does not tell. */
export type NoChange = 'absent' | 'untimed' | 'expired' | 'unseen'

/** @param eventId in small letters */
export async function findChange(
  { changeLog, reads, now }: Pick<ExplainDeps, 'changeLog' | 'reads' | 'now'>,
  tenant: Tenant,
  { eventId, timestamp }: ExplainQuery,
): Promise<Change | NoChange> {
  const madeAt = timestamp === undefined ? timeInId(eventId) : timestamp.getTime()
  if (madeAt === null) return 'untimed'
  if (madeAt < now() - changesKeptMs) return 'expired'
  const wanted = { ...lookLimits, eventId, madeAt }
  return reads.run(tenant, () => changeLog.find(tenant, wanted))
}

const unknowns: Record<Exclude<NoChange, 'absent'>, string> = {
  untimed: 'The id does not tell when the change was made: give its timestamp',
  expired: 'The log no longer has changes from that time',
  unseen:
    'The search did not read all of the log: it reached its limit, or a partition has no leader',
}

/** Explains a change without a delivery that the log does not show. */
export const unknownVerdict = (why: NoChange): Verdict =>
  unknown(why === 'absent' ? unknowns.expired : unknowns[why])

/**
 * Explains a change without a delivery.
 * @param versions the oldest first
 */
export function changeVerdict(
  change: Change,
  { project_id: projectId, environment, created_at }: SubscriptionRow,
  versions: readonly SubscriptionVersion[],
): Verdict {
  const version = versionAt(versions, change, created_at)
  if (version === 'unknown') {
    return unknown('The subscription has changed since, and its earlier version is not stored')
  }
  if (version === 'none') return kept('createdAt', 'The subscription was made after the change')
  if (!version.active) return kept('active', 'The subscription was not active then')
  const { event, record } = change
  switch (mismatchOf({ ...version, projectId, environment })(change)) {
    case 'tenant':
      throw new AppError('EVENT_NOT_FOUND', 'There is no such change')
    case 'table':
      return kept('table', `The change is of the table ${event.table}, not ${version.table}`)
    case 'events':
      return kept('events', `${event.operation} is not among its events`)
    case 'filter': {
      const filter = JSON.parse(version.filter ?? '{}') as Record<string, unknown>
      const path = firstFailure(filter, { record, changedFields: event.changedFields })
      const field = path === null ? 'filter' : `filter.${path}`
      return kept(field, `The record did not match ${field}`)
    }
    case null:
      return { outcome: 'pending', reason: 'It matches; its delivery is still to be made' }
  }
}

const unknown = (reason: string): Verdict => ({ outcome: 'unknown', reason })
const kept = (field: string, reason: string): Verdict => ({
  outcome: 'not_delivered',
  reason,
  field,
})
