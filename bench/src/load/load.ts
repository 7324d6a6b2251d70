import { randomUUID } from 'node:crypto'
import type { ChangePublisher, NewChange } from '@surehook/publisher'
import { Pool } from 'undici'
import type { BenchProject } from '../platform/platform.ts'
import { newRecord } from '../platform/platform.ts'
import { atRate } from './at-rate.ts'

export type RestLoad = { answered: number; failed: number; seconds: number }

/** Inserts over REST for `seconds` with `concurrency` requests in flight, each after an answer. */
export async function insertFlatOut(
  project: BenchProject,
  table: string,
  { concurrency, seconds }: { concurrency: number; seconds: number },
): Promise<RestLoad> {
  const insert = inserter(project, table, concurrency)
  const startedAt = performance.now()
  const until = startedAt + seconds * 1000
  let answered = 0
  let failed = 0
  const worker = async () => {
    while (performance.now() < until) {
      if (await insert.one()) answered++
      else failed++
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  const took = (performance.now() - startedAt) / 1000
  await insert.close()
  return { answered, failed, seconds: took }
}

/**
 * Inserts at a fixed rate, independently of the answers, so that time in a queue counts as latency.
 */
export async function insertAtRate(
  project: BenchProject,
  table: string,
  load: { perSecond: number; seconds: number },
): Promise<RestLoad> {
  const insert = inserter(project, table, 64)
  const startedAt = performance.now()
  let failed = 0
  const sent = await atRate(load, async () => void ((await insert.one()) || failed++))
  await insert.close()
  return { answered: sent - failed, failed, seconds: (performance.now() - startedAt) / 1000 }
}

function inserter({ system, headers }: BenchProject, table: string, connections: number) {
  const pool = new Pool(system.baseUrl, { connections })
  return {
    close: () => pool.close(),
    async one(): Promise<boolean> {
      const body = JSON.stringify(newRecord())
      const path = `/gw/api/rest/${table}`
      const response = await pool.request({ method: 'POST', path, headers, body })
      await response.body.dump()
      return response.statusCode === 201
    },
  }
}

/** Publishes `count` changes to the topic like a separate service, without the data API. */
export async function publishFlatOut(
  publisher: ChangePublisher,
  { projectId }: BenchProject,
  { table, count }: { table: string; count: number },
): Promise<void> {
  const batch = 500
  for (let from = 0; from < count; from += batch) {
    const changes = Array.from({ length: Math.min(batch, count - from) }, (): NewChange => {
      const recordId = randomUUID()
      return {
        projectId,
        environment: 'master',
        table,
        recordId,
        operation: 'INSERT',
        record: { id: recordId, ...newRecord() },
      }
    })
    await publisher.publish(changes)
  }
}
