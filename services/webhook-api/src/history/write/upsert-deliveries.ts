import { binaryColumn } from '@surehook/service-kit/postgres/binary-array'
import type { PoolClient } from 'pg'
import { countedBits } from '../rows/counted-attempts.ts'
import { dayOf } from '../rows/delivery-days.ts'
import type { FoldedDelivery } from '../rows/fold-deliveries.ts'
import { deliveryColumns, notRead } from './delivery-columns.ts'

/**
 * Writes all deliveries in one statement. The caller has sorted them, and has made the partitions
 * of their days.
 * @returns the attempts of each delivery that its row did not have before, as bits
 */
export async function upsertDeliveries(
  client: PoolClient,
  deliveries: readonly FoldedDelivery[],
): Promise<number[]> {
  if (deliveries.length === 0) return []
  const { rows } = await client.query<UpsertResult>({
    name: 'upsert-deliveries',
    text: upsert,
    values: [
      ...deliveryColumns.map((column) => binaryColumn(column, deliveries)),
      deliveries.length,
    ],
  })
  return newAttempts(deliveries, rows[0])
}

type UpsertResult = {
  /** The deliveries that had attempts before, with these as bits: `<id> <day> <bits>`. */
  before: string[] | null
  /** The ids of all deliveries that were written; `null` if every row was written. */
  ids: string[] | null
  /** Their days, in the same order. */
  days: string[] | null
}

/** The statement names only deliveries that had attempts before, because most had none. */
function newAttempts(
  deliveries: readonly FoldedDelivery[],
  { before, ids, days }: UpsertResult = { before: null, ids: [], days: [] },
): number[] {
  const counted = new Map<string, number>()
  for (const entry of before ?? []) {
    const at = entry.lastIndexOf(' ')
    counted.set(entry.slice(0, at), Number(entry.slice(at + 1)))
  }
  const changed = ids === null ? null : new Set(ids.map((id, index) => `${id} ${days?.[index]}`))
  return deliveries.map((delivery) => {
    const { countable } = delivery
    if (countable === 0 || (counted.size === 0 && changed === null)) return countable
    const row = `${delivery.of.deliveryId.toLowerCase()} ${dayOf(delivery.filedAt)}`
    if (changed?.has(row) === false) return 0
    return countable & ~(counted.get(row) ?? 0)
  })
}

export const columnNames = deliveryColumns.map(({ name }) => name).join(', ')
// `select * from unnest(…, …)` would store each array a second time: 2 µs for each row.
const unnested = deliveryColumns
  .map(({ type }, index) => `unnest($${index + 1}::${type}[])`)
  .join(', ')

const firstJob = '(d.operation is null and excluded.operation is not null)'
const newerTransition = '(excluded.step, excluded.moved_at) > (d.step, d.moved_at)'
const newerAttempt =
  '(excluded.attempt_step, excluded.attempted_at) > (d.attempt_step, d.attempted_at)'
const knownAttempts = 'position(excluded.attempt_log in d.attempt_log) > 0'
const takenWhen = (condition: string, names: readonly string[]) =>
  names
    .map((name) => `${name} = case when ${condition} then excluded.${name} else d.${name} end`)
    .join(', ')

const knownPlace = `(d.job_partition = ${notRead} and excluded.job_partition <> ${notRead})`
const ofJob = ['watched_table', 'operation', 'webhook_id', 'redelivery_of', 'record_id']
const ofBody = ['job_partition', 'job_offset', 'body']

const someMissing = `count(*) < $${deliveryColumns.length + 1}::integer`

/** Merges an inserted row into the present row `d` of the delivery. Repetition changes nothing. */
export const mergeDelivery = `
  on conflict (id, day) do update set
    ${takenWhen(firstJob, ofJob)},
    ${takenWhen(`${firstJob} or ${knownPlace}`, ofBody)},
    ${takenWhen(newerTransition, ['status', 'step', 'moved_at', 'next_attempt_at'])},
    ${takenWhen(newerAttempt, ['attempt_step', 'attempted_at', 'http_status', 'last_error'])},
    attempts = greatest(d.attempts, excluded.attempts),
    counted = ((d.counted & ${countedBits}) << 31) | (d.counted & ${countedBits}) | excluded.counted,
    attempt_log = case when ${knownAttempts} then d.attempt_log
      else nullif(concat(d.attempt_log, excluded.attempt_log), '') end
  where ${firstJob} or ${knownPlace} or ${newerTransition} or ${newerAttempt}
    or (excluded.attempt_log is not null and not coalesce(${knownAttempts}, false))`

const upsert = `
  with upserted as (insert into delivery as d (${columnNames})
  select ${unnested} ${mergeDelivery}
  returning id, day, counted)
  select array_agg(id || ' ' || day || ' ' || (counted >> 31)) filter (where counted >> 31 > 0) as before,
    -- These casts run only if rows are missing. A text for each row would cost up to 9 %.
    case when ${someMissing} then coalesce(array_agg(id)::text[], '{}') end as ids,
    case when ${someMissing} then coalesce(array_agg(day)::text[], '{}') end as days
  from upserted`
