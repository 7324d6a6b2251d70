import type { OutgoingRecord } from '@surehook/kafka/producer/producer'
import { openPool } from '@surehook/service-kit/postgres/pool'
import { createDatabase, query, silent } from '@surehook/testing/database'
import type { Pool } from 'pg'
import { emit } from '../src/emit/capture.ts'
import { type CaptureOptions, openRelay } from '../src/relay/relay.ts'

export type CaptureDatabase = AsyncDisposable & {
  readonly url: string
  readonly slot: string
  readonly pool: Pool
  slotRow(): Promise<{ confirmed: string; active: boolean } | undefined>
}

/** Options of a wait that the relay ends soon, even on a slow machine. */
export const patiently = { timeoutMs: 30_000 }

/** Creates a database with a publication, a table and a slot, like the migrations of a service. */
export async function createCaptureDatabase(): Promise<CaptureDatabase> {
  await using opening = new AsyncDisposableStack()
  const database = opening.use(await createDatabase())
  const { url, suffix } = database
  const slot = `relay_${suffix}`
  await query(url, 'create publication surehook_capture')
  await query(url, 'create table noise (n int)')
  await query(url, `select pg_create_logical_replication_slot($1, 'pgoutput')`, [slot])
  const pool = opening.adopt(
    openPool({ connectionString: url, applicationName: 'test', log: silent }),
    (open) => open.end(),
  )
  const resources = opening.move()
  return {
    url,
    slot,
    pool,
    async slotRow() {
      const { rows } = await pool.query<{ confirmed: string; active: boolean }>(
        `select confirmed_flush_lsn::text as confirmed, active
           from pg_replication_slots where slot_name = $1`,
        [slot],
      )
      return rows[0]
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

type Gate = { promise: Promise<void>; resolve: () => void; reject: (err: Error) => void }

/** Replaces Kafka's producer. A test can hold its acknowledgements back. */
export class HeldProducer {
  readonly sent: OutgoingRecord[] = []
  calls = 0
  healthy = true
  /** Records with this value are never acknowledged, as on an unavailable partition. */
  stuck: string | null = null
  #gate: Gate | null = null

  get values(): string[] {
    return this.sent.map(({ value }) => String(value))
  }

  hold(): void {
    this.#gate ??= Promise.withResolvers<void>()
  }

  release(): void {
    this.#gate?.resolve()
    this.#gate = null
  }

  /** Rejects the held acknowledgements. */
  lose(): void {
    this.#gate?.reject(new Error('lost'))
    this.#gate = null
  }

  async send(records: readonly OutgoingRecord[]): Promise<void> {
    this.calls += 1
    await this.#gate?.promise
    if (records.some(({ value }) => String(value) === this.stuck)) await new Promise(() => {})
    this.sent.push(...records)
  }
}

export const service = 'test-service'

/** Opens a relay whose records have the captured body as value. */
export const relayOf = (
  db: CaptureDatabase,
  producer: CaptureOptions['producer'],
  options: Partial<CaptureOptions> = {},
) =>
  openRelay({
    service,
    slot: db.slot,
    databaseUrl: db.url,
    producer,
    toRecord: ({ header, body }) => ({
      topic: header.topic,
      key: header.key,
      value: body === '' ? null : Buffer.from(body),
    }),
    toInvalid: ({ topic, key, value, reason }) => ({
      topic: 'invalid',
      key: null,
      value: Buffer.from(`${topic} ${key} | ${value} | ${reason}`),
    }),
    log: silent,
    ...options,
  })

/** Captures `body` as the service under test would. */
export const write = (db: Parameters<typeof emit>[0], body: string) =>
  emit(db, { service, header: { topic: 't', key: 'k' }, body })
