import { setTimeout as sleep } from 'node:timers/promises'
import { siblingUrl } from '@surehook/service-kit/postgres/sibling-database'
import { waitUntil } from '@surehook/service-kit/wait-until'
import { Client } from 'pg'
import { openWritesAtRate, type RestRun } from '../deliveries/rest.ts'
import type { Bench } from '../platform/open-bench.ts'
import { createProject, createTable, subscribe } from '../platform/platform.ts'
import { lossRows, milliseconds, perSecond, printRows, type Row } from '../report/report.ts'
import { openManyDeliveries } from './many-deliveries.ts'

type Options = { rows: number; seconds: number }

/** Large work of webhook-api in the databases. */
type Work = {
  title: string
  prepare(): Promise<void>
  /** Resolves once the work has begun, with a promise of its end and of the rows done since. */
  begin(): Promise<{ end: Promise<number> }>
}

const writesPerSecond = 100
const lookEveryMs = 100
const withinMs = 20 * 60_000
const days = 30
/** Counting a million rows takes a tenth of a second. */
const everyMs = 1_000
const fromSubscriptionSql = 'from webhook_api.delivery where subscription_id = $1'

/** Measures the move of an older version's history, and writes beside it. */
export async function historyMove(bench: Bench, { rows, seconds }: Options): Promise<void> {
  const { databaseUrl } = bench.system
  const { projectId, subscriptionId } = await subscriber(bench)
  await using services = await connect(databaseUrl)
  await using many = await openManyDeliveries(databaseUrl, { projectId, subscriptionId })
  const left = async () => {
    const { rows: found } = await services.query<{ count: number }>(
      `select count(*)::int as count ${fromSubscriptionSql}`,
      [subscriptionId],
    )
    return found[0]?.count ?? 0
  }
  const isMoved = () => isWithout(services, subscriptionId)
  await beside(bench, seconds, {
    title: `the move of ${rows.toLocaleString('en')} older deliveries`,
    prepare: () => many.fillOlder(rows, days),
    async begin() {
      let before = rows
      const isBegun = async () => (before = await left()) < rows
      await waitUntil(isBegun, { what: 'the first moved rows', timeoutMs: withinMs, everyMs })
      const end = waitUntil(isMoved, { what: 'the end of the move', timeoutMs: withinMs, everyMs })
      return { end: end.then(() => before) }
    },
  })
}

/** Measures the deletion of an environment with that many deliveries, and writes beside it. */
export async function historyDeletion(bench: Bench, { rows, seconds }: Options): Promise<void> {
  const { databaseUrl } = bench.system
  const { projectId, subscriptionId, project } = await subscriber(bench)
  await using history = await connect(siblingUrl(databaseUrl, 'history'))
  await using many = await openManyDeliveries(databaseUrl, { projectId, subscriptionId })
  const isGone = () => isWithout(history, subscriptionId)
  await beside(bench, seconds, {
    title: `the deletion of an environment with ${rows.toLocaleString('en')} deliveries`,
    prepare: () => many.fill(rows, days),
    async begin() {
      await project.administer('DELETE', '', undefined)
      const what = 'the end of the history'
      const end = waitUntil(isGone, { what, timeoutMs: withinMs, everyMs })
      return { end: end.then(() => rows) }
    },
  })
}

async function subscriber(bench: Bench) {
  const project = await createProject(bench.system)
  await createTable(project, 'bench')
  const subscriptionId = await subscribe(project, 'bench', 'https://receiver.example/hook')
  return { project, projectId: project.projectId, subscriptionId }
}

async function isWithout(database: Client, subscriptionId: string): Promise<boolean> {
  const { rowCount } = await database.query(`select ${fromSubscriptionSql} limit 1`, [
    subscriptionId,
  ])
  return rowCount === 0
}

/** Writes before the work, during it, and after it. Looks at locks and at the slots during it. */
async function beside(
  bench: Bench,
  seconds: number,
  { title, prepare, begin }: Work,
): Promise<void> {
  const write = await openWritesAtRate(bench, writesPerSecond)
  const before = await write(seconds)
  await prepare()
  const looking = new AbortController()
  const looks = lookAt(bench.system.databaseUrl, looking.signal)
  const { end } = await begin()
  const startedAt = performance.now()
  const ended = end.then((rows) => ({ rows, ms: performance.now() - startedAt }))
  const [done, during] = await Promise.all([ended, write(seconds)])
  looking.abort()
  const { longestLockMs, lagBytes } = await looks
  const after = await write(seconds)
  printRows(title, [
    { measure: `time, of which ${seconds} s with writes`, value: `${inSeconds(done.ms)} s` },
    { measure: 'rows', value: perSecond(done.rows, done.ms) },
    { measure: 'the longest wait for a lock', value: `${longestLockMs.toFixed(0)} ms` },
    { measure: 'most WAL behind a slot', value: `${(lagBytes / 1_048_576).toFixed(1)} MiB` },
    ...writeRows('before', before),
    ...writeRows('during', during),
    ...writeRows('after', after),
  ])
}

const inSeconds = (ms: number) => (ms / 1_000).toFixed(1)

const writeRows = (when: string, { report, load }: RestRun): Row[] => [
  {
    measure: `${writesPerSecond} writes/s ${when} it, REST to receipt`,
    value: `p50 ${milliseconds(report.latency.p50)}, p99 ${milliseconds(report.latency.p99)}`,
  },
  { measure: `writes not answered 201 ${when} it`, value: String(load.failed) },
  ...lossRows(report),
]

async function lookAt(databaseUrl: string, signal: AbortSignal) {
  await using server = await connect(databaseUrl)
  let [longestLockMs, lagBytes] = [0, 0]
  while (!signal.aborted) {
    const { rows } = await server.query<{ locked: number; lag: number }>(
      `select
         (select coalesce(max(extract(epoch from clock_timestamp() - query_start)) * 1000, 0)::float8
          from pg_stat_activity where wait_event_type = 'Lock') as locked,
         (select coalesce(max(pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn)), 0)::float8
          from pg_replication_slots) as lag`,
    )
    longestLockMs = Math.max(longestLockMs, rows[0]?.locked ?? 0)
    lagBytes = Math.max(lagBytes, rows[0]?.lag ?? 0)
    await sleep(lookEveryMs)
  }
  return { longestLockMs, lagBytes }
}

async function connect(connectionString: string) {
  const client = new Client({ connectionString })
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}
