import type { DeliveryAttempt } from '@surehook/contracts/events'
import { webhookName } from '@surehook/contracts/events/delivery-events'
import type { Pool } from 'pg'
import type { SubscriptionRow } from './subscription-row.ts'

/** What `webhookName` returns, as SQL. */
export const webhookNameSql = 'coalesce(name, key)'

type Own = Pick<DeliveryAttempt, 'subscriptionId' | 'projectId' | 'environment'>

/** Returns what people call the subscriptions of the tenants that have them, by id. */
export async function namesOf(
  pool: Pool,
  owns: readonly Own[],
): Promise<ReadonlyMap<string, string | null>> {
  if (owns.length === 0) return new Map()
  const { rows } = await pool.query<Pick<SubscriptionRow, 'id' | 'name' | 'key'>>(
    `select id, name, key from subscription where (id, project_id, environment) in (
       select * from unnest($1::uuid[], $2::text[], $3::text[]))`,
    [
      owns.map(({ subscriptionId }) => subscriptionId),
      owns.map(({ projectId }) => projectId),
      owns.map(({ environment }) => environment),
    ],
  )
  return new Map(rows.map((row) => [row.id, webhookName(row)]))
}
