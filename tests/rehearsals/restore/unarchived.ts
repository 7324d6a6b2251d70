import { randomUUID } from 'node:crypto'
import type { Tenant } from '@surehook/scripts/client/tenant'
import type { Receiver } from '@surehook/scripts/receiver/receiver'
import { until } from '@surehook/testing/until'
import { Client } from 'pg'

const settleWithinMs = 30_000
const inserts = 60

/** Later writes go to a WAL file that is not archived. */
export async function archiveAll(databaseUrl: string): Promise<void> {
  const db = new Client({ connectionString: databaseUrl })
  await db.connect()
  try {
    const { rows } = await db.query<{ file: string }>(
      'select pg_walfile_name(pg_switch_wal()) as file',
    )
    const isArchived = async () => {
      const archived = await db.query<{ yes: boolean }>(
        'select last_archived_wal >= $1 as yes from pg_stat_archiver',
        [rows[0]?.file],
      )
      return archived.rows[0]?.yes ?? false
    }
    await until(isArchived, { what: 'the archive', timeoutMs: settleWithinMs })
  } finally {
    await db.end()
  }
}

export type UnarchivedWal = {
  records: number
  /** Returns what differs, after the restore, from the answers to the writes. */
  faults(): Promise<string[]>
}

/**
 * Creates, changes and deletes records, and creates a subscription. All of it reaches the topics.
 */
export async function writeUnarchived(
  tenant: Tenant,
  receiver: Receiver,
  keptId: string,
): Promise<UnarchivedWal> {
  const path = `/unarchived-${randomUUID()}`
  const subscription = await tenant.subscribe(receiver.url(path))
  const arrived = (count: number) =>
    until(() => receiver.receipts(path).length >= count, {
      what: `${count} deliveries`,
      timeoutMs: settleWithinMs,
    })
  const shown = new Map<string, string | null>()
  const show = async (id: string) => {
    const { status, text } = await tenant.rest(`GET orders/${id}`)
    return status === 404 ? null : text
  }
  const made = [keptId]
  for (let n = 0; n < inserts; n++) {
    made.push((await tenant.insert({ n, note: `it's "${n}"`, amount: `-${n}` })).id)
  }
  const [, changed = '', deleted = ''] = made
  await tenant.rest(`PATCH orders/${changed}`, { note: null, n: -1 })
  await tenant.rest(`PATCH orders/${keptId}`, { note: 'changed' })
  await tenant.rest(`DELETE orders/${deleted}`)
  for (const id of made) shown.set(id, await show(id))
  await arrived(inserts + 3)
  return {
    records: made.length,
    async faults() {
      const faults: string[] = []
      for (const [id, before] of shown) {
        const now = await show(id)
        if (now !== before) faults.push(`${id} is ${now}, and was ${before}`)
      }
      const { status } = await tenant.webhooks(`GET /${subscription.id}`)
      if (status !== 200) faults.push(`the subscription is answered ${status}`)
      const { id } = await tenant.insert({ n: 0, note: 'after', amount: '0' })
      const isThere = () => receiver.receipts(path).some(({ body }) => body.includes(id))
      await until(isThere, { what: 'a new delivery', timeoutMs: settleWithinMs }).catch(
        (err: Error) => faults.push(err.message),
      )
      return faults
    },
  }
}
