import { emit } from '@surehook/change-capture/emit/capture'
import { waitUntilRelayed } from '@surehook/change-capture/slot/wait-relayed'
import { environmentsTopic } from '@surehook/contracts/topics'
import { slotOf } from '@surehook/service-kit/postgres/capture-slot'
import { waitUntil } from '@surehook/service-kit/wait-until'
import { Pool } from 'pg'
import type { Endpoints } from '../lib/endpoints.ts'
import { answersOk } from '../lib/http-probe.ts'
import type { System } from '../system/start-services.ts'

/** Long, because a busy machine may take minutes. */
const timeoutMs = 300_000

const service = 'auth-service'

/**
 * A tombstone of an environment that cannot exist, because its key names no project. It changes
 * nothing, and compaction removes it.
 */
const nothing = { header: { topic: environmentsTopic, key: 'npm-start' }, body: '' }

/**
 * Resolves when writes are answered. Services may be ready while the broker does not accept records,
 * so one record takes the way of every write: PostgreSQL, relay, Kafka.
 * @param databaseUrl of an administrator
 */
export async function untilWritable(
  { databaseUrl }: Pick<Endpoints, 'databaseUrl'>,
  { services }: Pick<System, 'services'>,
): Promise<void> {
  const pool = new Pool({ connectionString: databaseUrl, max: 1 })
  try {
    const lsn = await emit(pool, { service, ...nothing })
    await waitUntilRelayed(pool, slotOf(service), lsn, { timeoutMs })
  } finally {
    await pool.end()
  }
  const replicas = Object.values(services).flat()
  const areReady = async () => {
    const answers = replicas.map(({ internalUrl }) => answersOk(`${internalUrl}/readyz`))
    return (await Promise.all(answers)).every((isReady) => isReady)
  }
  await waitUntil(areReady, { what: 'the services after the first write', timeoutMs })
}
