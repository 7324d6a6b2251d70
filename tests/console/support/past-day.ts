import { siblingUrl } from '@surehook/service-kit/postgres/sibling-database'
import { Client, type QueryResult, type QueryResultRow } from 'pg'

/** Attempts of a past day, inserted directly: charts of a new system have one bar. */
const pastSql = `
with past as (insert into webhook_api.attempt_stats
  (subscription_id, at, attempts, delivered, retrying, dead_letter, cancelled, latencies)
select id, at, delivered + failed, delivered, failed, 0, 0, array[(13 << 24) + delivered + failed]
from unnest($1::uuid[]) id,
  generate_series(date_bin('5 minutes', now(), 'epoch') - interval '24 hours',
    now() - interval '10 minutes', interval '5 minutes') at,
  lateral (select extract(epoch from at)::integer / 300 as n) counted,
  lateral (select (14 - 9 * cos(n * pi() / 144) + n * 7 % 5)::integer as delivered,
    case when n % 41 < 3 then 1 + n % 3 else 0 end as failed) made
on conflict do nothing
returning *)
insert into webhook_api.attempt_stats_hour
select subscription_id, date_trunc('hour', at, 'UTC') as hour, sum(attempts), sum(delivered),
  sum(retrying), 0, 0, array[(13::bigint << 32) + sum(attempts)]
from past group by subscription_id, hour
on conflict do nothing`

/** Gives the webhooks of the project a past day. The failing one keeps its own. */
export async function addPastDay(
  databaseUrl: string,
  { projectId, failingId }: { projectId: string; failingId: string },
): Promise<void> {
  const { rows } = await queryIn<{ id: string }>(
    databaseUrl,
    'select id from webhook_api.subscription where project_id = $1 and active and id <> $2',
    [projectId, failingId],
  )
  await queryIn(siblingUrl(databaseUrl, 'history'), pastSql, [rows.map(({ id }) => id)])
}

async function queryIn<Row extends QueryResultRow>(
  connectionString: string,
  sql: string,
  values: unknown[],
): Promise<QueryResult<Row>> {
  const database = new Client({ connectionString })
  await database.connect()
  try {
    return await database.query<Row>(sql, values)
  } finally {
    await database.end()
  }
}
