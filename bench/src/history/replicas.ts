import { availableParallelism } from 'node:os'
import { openChangePublisher } from '@surehook/publisher'
import { siblingUrl } from '@surehook/service-kit/postgres/sibling-database'
import { waitUntil } from '@surehook/service-kit/wait-until'
import { Client } from 'pg'
import { publishFlatOut } from '../load/load.ts'
import { cpuBetween, usageOf } from '../measure/processes.ts'
import { type Bench, drainMs, tableWithSubscriptions } from '../platform/open-bench.ts'
import { startReplica } from '../platform/start-replica.ts'
import { perSecond, printRows } from '../report/report.ts'

const service = 'webhook-api'
const warmUp = 500

/**
 * Measures how fast the history has all of a load, its jobs and its transitions, with one and with
 * two replicas of webhook-api.
 */
export async function historyReplicas(bench: Bench, changes: number): Promise<void> {
  const one = await followed(bench, changes)
  await using second = await startReplica(bench, service)
  const two = await followed(bench, changes, { [`${service}-2`]: second.pid })
  printRows(
    `history of ${changes} deliveries, one and two replicas on ${availableParallelism()} cores`,
    [
      { measure: 'one', value: one.text },
      { measure: 'two', value: two.text },
      { measure: 'ratio of the times', value: (two.ms / one.ms).toFixed(2), target: '≤ 1.1' },
    ],
  )
}

async function followed(
  bench: Bench,
  count: number,
  others: Readonly<Record<string, number>> = {},
): Promise<{ ms: number; text: string }> {
  const { system, runDirs, receiver } = bench
  const project = await tableWithSubscriptions(bench, 1)
  await using publisher = await openChangePublisher({
    brokers: system.kafkaBrokers.split(','),
    schemaRegistryUrl: system.schemaRegistryUrl,
    source: 'bench',
  })
  const database = new Client({ connectionString: siblingUrl(system.databaseUrl, 'history') })
  await database.connect()
  const complete = async () => {
    const { rows } = await database.query<{ count: number }>(
      `select count(*)::int as count from webhook_api.delivery
       where project_id = $1 and status = 'delivered' and operation is not null`,
      [project.projectId],
    )
    return rows[0]?.count ?? 0
  }
  const untilComplete = (expected: number) =>
    waitUntil(async () => (await complete()) === expected, {
      what: `${expected} deliveries in the history`,
      timeoutMs: drainMs,
    })
  try {
    await publishFlatOut(publisher, project, { table: 'bench', count: warmUp })
    await untilComplete(warmUp)
    const before = usageOf(runDirs, others)
    const startedAt = performance.now()
    await publishFlatOut(publisher, project, { table: 'bench', count })
    await receiver.waitFor(warmUp + count, drainMs)
    const sentMs = performance.now() - startedAt
    await untilComplete(warmUp + count)
    const ms = performance.now() - startedAt
    const cpuMs = (cpuBetween(before, usageOf(runDirs, others)) * 1_000) / count
    const behind = `${((ms - sentMs) / 1_000).toFixed(1)} s behind the last delivery`
    return { ms, text: `${perSecond(count, ms)}, ${behind}, ${cpuMs.toFixed(2)} CPU-ms each` }
  } finally {
    await database.end()
  }
}
