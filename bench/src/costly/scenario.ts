import { setTimeout as wait } from 'node:timers/promises'
import type { RunningSystem } from '@surehook/scripts/lib/running-system'
import { Client } from 'pg'
import { cpuBetween, servicesOf, usageOf } from '../measure/processes.ts'
import { type BenchProject, createProject } from '../platform/platform.ts'
import { printRows, type Row } from '../report/report.ts'
import { type CostlyRequest, costlyRequests, prepare } from './requests.ts'

const times = 15
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
  const rows: Row[] = []
  for (const request of costlyRequests(project.projectId)) {
    const ask = () => send(project, request)
    const { status } = await ask()
    const before = servicesOf(usageOf(runDirs))
    for (let n = 0; n < times; n++) await ask()
    const cpuMs = (cpuBetween(before, servicesOf(usageOf(runDirs))) * 1_000) / times
    const waitMs = await longestWait(other, request.path.startsWith('auth') ? 'auth' : 'rest', ask)
    const value = `${status}: ${cpuMs.toFixed(1)} ms of CPU, others wait ${waitMs.toFixed(0)} ms`
    rows.push({ measure: request.name, value })
  }
  printRows(`the largest requests, ${times} of each one after another`, rows)
}

async function send(
  { system, headers }: BenchProject,
  { method = 'GET', path, body, headers: more }: CostlyRequest,
): Promise<{ status: number }> {
  const at = path.startsWith('/') ? `gw/api/rest${path}` : path
  const response = await fetch(`${system.baseUrl}/${at}`, {
    method,
    headers: { ...headers, ...more },
    ...(body !== undefined && { body: JSON.stringify(body) }),
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
  const database = new Client({ connectionString: databaseUrl })
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
