import { setTimeout as wait } from 'node:timers/promises'
import type { RunningSystem } from '@surehook/scripts/lib/running-system'
import { siblingUrl } from '@surehook/service-kit/postgres/sibling-database'
import { Client } from 'pg'
import { openManyDeliveries } from '../history/many-deliveries.ts'
import { cpuBetween, servicesOf, type Usage, usageOf } from '../measure/processes.ts'
import { type BenchProject, createProject } from '../platform/platform.ts'
import { printRows, type Row } from '../report/report.ts'
import { type CostlyRequest, costlyRequests, prepare } from './requests.ts'

/** A cheap request is repeated for longer, because the CPU is counted in ticks of 10 ms. */
const times = 15
const atLeastMs = 1_000
const probeEveryMs = 2

type CostlyBench = { system: RunningSystem; runDirs: readonly string[] }

/**
 * Measures how much CPU of the services each of the largest requests takes, and how long a small
 * request of another project waits beside it.
 */
export async function costly({ system, runDirs }: CostlyBench): Promise<void> {
  const project = await createProject(system)
  const other = await createProject(system)
  const ids = await prepare(project)
  await fillStatistics(system.databaseUrl, ids)
  const [subscriptionId = ''] = ids
  const { projectId } = project
  await using many = await openManyDeliveries(system.databaseUrl, { projectId, subscriptionId })
  await many.fill(3_000, 1)
  const script = await consoleScript(system)
  const rows: Row[] = []
  for (const request of costlyRequests({ projectId, script })) {
    const ask = () => send(project, request)
    const { status } = await ask()
    const cpu = await cpuOfEach(ask, runDirs)
    const waitMs = await longestWait(other, request.path.startsWith('auth') ? 'auth' : 'rest', ask)
    const value = `${status}: ${cpu} ms of CPU, others wait ${waitMs.toFixed(0)} ms`
    rows.push({ measure: request.name, value })
  }
  printRows(`the largest requests, ${times} or more of each one after another`, rows)
}

/** Milliseconds of all services for each request, and of those that take a part of it. */
async function cpuOfEach(ask: () => Promise<unknown>, runDirs: readonly string[]): Promise<string> {
  const before = servicesOf(usageOf(runDirs))
  const startedAt = performance.now()
  let asked = 0
  for (; asked < times || performance.now() - startedAt < atLeastMs; asked++) await ask()
  const after = servicesOf(usageOf(runDirs))
  const msOf = (usage: Usage) => (cpuBetween(before, usage) * 1_000) / asked
  const parts = Object.entries(after).map(([name, one]) => ({ name, ms: msOf({ [name]: one }) }))
  const named = parts
    .filter(({ ms }) => ms >= 0.5)
    .map(({ name, ms }) => `${name} ${ms.toFixed(1)}`)
  return `${msOf(after).toFixed(1)} (${named.join(', ')})`
}

async function consoleScript({ baseUrl }: RunningSystem): Promise<string> {
  const page = await (await fetch(`${baseUrl}/console/`)).text()
  return `console/${/assets\/[\w-]+\.js/.exec(page)?.[0] ?? ''}`
}

async function send(
  { system, headers }: BenchProject,
  { method = 'GET', path, body, headers: more }: CostlyRequest,
): Promise<{ status: number }> {
  const at = path.startsWith('/') ? `gw/api/rest${path}` : path
  const response = await fetch(`${system.baseUrl}/${at}`, {
    method,
    headers: { ...headers, ...more },
    ...(body !== undefined && { body: JSON.stringify(body()) }),
  })
  await response.arrayBuffer()
  return { status: response.status }
}

/** The longest answer to small requests of another project while two callers ask. */
async function longestWait(
  other: BenchProject,
  service: 'auth' | 'rest',
  ask: () => Promise<unknown>,
): Promise<number> {
  const small = { name: '', path: service === 'auth' ? 'auth/.well-known/jwks.json' : '/_tables' }
  const over = new AbortController()
  const busy = Promise.all([0, 1].map(() => repeat(times / 3, ask))).finally(() => over.abort())
  let longest = 0
  while (!over.signal.aborted) {
    const startedAt = performance.now()
    await send(other, small)
    longest = Math.max(longest, performance.now() - startedAt)
    await wait(probeEveryMs)
  }
  await busy
  return longest
}

async function repeat(count: number, work: () => Promise<unknown>): Promise<void> {
  for (let n = 0; n < count; n++) await work()
}

/** Seven busy days of each subscription, in buckets and hours. */
async function fillStatistics(databaseUrl: string, ids: readonly string[]): Promise<void> {
  const database = new Client({ connectionString: siblingUrl(databaseUrl, 'history') })
  await database.connect()
  const fill = (table: string, { days, step, shift, of }: Filling) =>
    database.query(
      `insert into webhook_api.${table}
       select id, at, ${100 * of}, ${95 * of}, ${5 * of}, 0, 0,
         array(select (c::bigint << ${shift}) + ${3 * of} from generate_series(0, 39) c)
       from unnest($1::uuid[]) id, generate_series(date_trunc('hour', now(), 'UTC')
         - interval '${days} days', now(), interval '${step}') at
       on conflict do nothing`,
      [ids],
    )
  await fill('attempt_stats', { days: 2, step: '5 minutes', shift: 24, of: 1 })
  await fill('attempt_stats_hour', { days: 7, step: '1 hour', shift: 32, of: 12 })
  await database.query('analyze webhook_api.attempt_stats, webhook_api.attempt_stats_hour')
  await database.end()
}

type Filling = { days: number; step: string; shift: number; of: number }
