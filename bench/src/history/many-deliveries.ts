import { deliveryId } from '@surehook/contracts/ids'
import { siblingUrl } from '@surehook/service-kit/postgres/sibling-database'
import { Client } from 'pg'

/**
 * Deliveries of one subscription, inserted directly into the log: a million real ones would take
 * too long.
 */
export type ManyDeliveries = AsyncDisposable & {
  /**
   * Spreads `count` deliveries over the last `days` days, each with its body and its attempt. They
   * fill today, also what is left of it, unless `until` is `yesterday`.
   */
  fill(count: number, days: number, until?: 'today' | 'yesterday'): Promise<void>
  /** The same in the database of the services, where earlier versions had the history. */
  fillOlder(count: number, days: number): Promise<void>
}

export type Subscriber = { projectId: string; subscriptionId: string }

const dayMs = 86_400_000
/** Per thousand deliveries, as for a receiver that sometimes fails. */
const statusSql = `case
    when n % 1000 < 10 then 'dead_letter'
    when n % 1000 < 15 then 'retrying'
    when n % 100000 = 500 then 'paused'
    else 'delivered' end`

/** A failure has an error, and every other one an answer. */
const answerSql = `case when n % 1000 >= 15 then 204 when n % 2 = 0 then 503 end,
  case when n % 1000 < 15 then case when n % 2 = 0 then 'http' else 'timeout' end end`

const deliveriesSql = `
insert into webhook_api.delivery (day, id, created_at, event_id, subscription_id, project_id,
  environment, status, step, moved_at, attempts, attempt_step, attempted_at, http_status, last_error,
  watched_table, operation, webhook_id, record_id, body, attempt_log)
select $1::date, id, at, event_id, $2::uuid, $3, 'master',
  ${statusSql}, 1, at, 1, 1, at, ${answerSql}, 'bench', 'INSERT', id, 'record-' || (n % 10000),
  convert_to('{"id":"' || event_id || '","note":"' || repeat('x', 300) || '"}', 'UTF8'),
  format(E'[1,%s,1,"delivered","https://receiver.example/hook",204,12,null,null,""]\\n',
    (extract(epoch from at) * 1000)::bigint)
from unnest($4::uuid[], $5::text[]) with ordinality made (id, event_id, n),
  lateral (select date_trunc('milliseconds', $1::date + n * interval '1 day' / ($6 + 1)) at) timed`

export async function openManyDeliveries(
  databaseUrl: string,
  { projectId, subscriptionId }: Subscriber,
): Promise<ManyDeliveries> {
  const database = await connectAsOwner(siblingUrl(databaseUrl, 'history'))
  const of = { projectId, subscriptionId }
  const filled = new Set<string>()
  return {
    async fill(count, days, until = 'today') {
      const last = Date.now() - (until === 'today' ? 0 : dayMs)
      await fillDays(database, of, { count, days, last, filled })
    },
    async fillOlder(count, days) {
      const older = await connectAsOwner(databaseUrl)
      try {
        await fillDays(older, of, { count, days, last: Date.now(), filled })
      } finally {
        await older.end()
      }
    },
    async [Symbol.asyncDispose]() {
      for (const day of filled) await forget(database, subscriptionId, day)
      await database.end()
    },
  }
}

/** The service must own the partitions, because it drops them. */
async function connectAsOwner(connectionString: string): Promise<Client> {
  const database = new Client({ connectionString })
  await database.connect()
  await database.query('set role surehook_webhook_api')
  return database
}

type Days = { count: number; days: number; last: number; filled: Set<string> }

async function fillDays(
  database: Client,
  { projectId, subscriptionId }: Subscriber,
  { count, days, last, filled }: Days,
): Promise<void> {
  const names = Array.from({ length: days }, (_, back) => dayOf(last - back * dayMs)).toReversed()
  for (const day of names) await makePartition(database, day)
  // All become visible at once.
  await database.query('begin')
  for (const day of names) {
    filled.add(day)
    const perDay = Math.ceil(count / days)
    const events = Array.from({ length: perDay }, (_, n) => `bench-${day}-${n + 1}`)
    const ids = events.map((eventId) => deliveryId(eventId, subscriptionId))
    await database.query(deliveriesSql, [day, subscriptionId, projectId, ids, events, perDay])
  }
  await database.query('commit; analyze webhook_api.delivery')
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

async function makePartition(database: Client, day: string): Promise<void> {
  const next = dayOf(Date.parse(day) + dayMs)
  await database.query(
    `create table if not exists webhook_api.delivery_${day.replaceAll('-', '')}
     partition of webhook_api.delivery for values from ('${day}') to ('${next}')`,
  )
}

async function forget(database: Client, subscriptionId: string, day: string): Promise<void> {
  await database.query(
    'delete from webhook_api.delivery where day = $1::date and subscription_id = $2',
    [day, subscriptionId],
  )
}
