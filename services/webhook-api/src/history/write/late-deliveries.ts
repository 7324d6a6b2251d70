import type { PoolClient } from 'pg'
import { dayOf } from '../rows/delivery-days.ts'
import type { FoldedDelivery } from '../rows/fold-deliveries.ts'

/**
 * Files deliveries of expired days under the day of their newest transition. A delivery that was
 * paused for longer than history is kept therefore stays visible as long as any other.
 * @param oldestDay the first day that is kept
 * @returns the deliveries that it filed so
 */
export function fileWithLastTransition(
  deliveries: readonly FoldedDelivery[],
  oldestDay: string,
): FoldedDelivery[] {
  const late = new Map<string, FoldedDelivery>()
  const oldestAt = Date.parse(oldestDay)
  for (const delivery of deliveries) {
    const { of, last } = delivery
    const isOver = of.createdAt < oldestAt
    // A delivery whose last transition is also that old expires with its day.
    if (!isOver || last === null || last.at < oldestAt) continue
    // One statement may write each row only once.
    if (late.has(of.deliveryId)) continue
    delivery.filedAt = last.at
    late.set(of.deliveryId, delivery)
  }
  return [...late.values()]
}

/**
 * A row that is already in a kept day stays there. A row of an expired day moves to the new one.
 */
export async function joinRows(
  tx: PoolClient,
  late: readonly FoldedDelivery[],
  oldestDay: string,
): Promise<void> {
  const ids = late.map(({ of }) => of.deliveryId.toLowerCase())
  const { rows } = await tx.query<{ id: string; day: string }>(
    `select id, max(day)::text as day from delivery
     where id = any($1::uuid[]) and day >= $2::date group by id`,
    [ids, oldestDay],
  )
  const known = new Map(rows.map(({ id, day }) => [id, Date.parse(day)]))
  for (const delivery of late) {
    delivery.filedAt = known.get(delivery.of.deliveryId.toLowerCase()) ?? delivery.filedAt
  }
  const unknown = late.filter(({ of }) => !known.has(of.deliveryId.toLowerCase()))
  await tx.query(
    `update delivery d set day = filed.day
     from unnest($1::uuid[], $2::date[]) as filed (id, day)
     where d.id = filed.id and d.day < $3::date`,
    [
      unknown.map(({ of }) => of.deliveryId),
      unknown.map(({ filedAt }) => dayOf(filedAt)),
      oldestDay,
    ],
  )
}
