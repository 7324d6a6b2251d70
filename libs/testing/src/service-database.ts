import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { slotOf } from '@surehook/service-kit/postgres/capture-slot'
import { type MigratedService, migrateAll } from '@surehook/service-kit/postgres/migrate'
import { Client, escapeIdentifier } from 'pg'
import type { Logger } from 'pino'

export type TestDatabase = AsyncDisposable & {
  /** URL with the service's own role. */
  databaseUrl: string
  /** URL with the administrator's role, for the same database. */
  adminUrl: string
  /** Replication slots belong to the cluster, so each database has a slot with a unique name. */
  slot: string
}

export type TestDatabaseOptions = {
  /** URL of the stack's administrator. The test's database is created on the same server. */
  adminUrl: string
  service: MigratedService
  keyEncryptionKey: Buffer
  log: Logger
}

/** Creates a migrated database for one test file. Disposal drops it and its slot. */
export async function openTestDatabase(options: TestDatabaseOptions): Promise<TestDatabase> {
  const { adminUrl, service, keyEncryptionKey, log } = options
  const suffix = randomBytes(4).toString('hex')
  const name = `test_${suffix}`
  const slot = `${slotOf(service.service)}_${suffix}`
  await query(adminUrl, `create database ${escapeIdentifier(name)}`)
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  const urls = await migrateAll({
    adminUrl: url.href,
    keyEncryptionKey,
    services: [{ ...service, slot }],
    log,
  })
  return {
    databaseUrl: urls[service.service] ?? '',
    adminUrl: url.href,
    slot,
    async [Symbol.asyncDispose]() {
      await dropSlot(adminUrl, slot)
      await query(adminUrl, `drop database ${escapeIdentifier(name)} with (force)`)
    },
  }
}

/** Retries: the server notices a closed reader only after a moment. */
async function dropSlot(adminUrl: string, slot: string): Promise<void> {
  const drop = `select pg_drop_replication_slot(slot_name) from pg_replication_slots
                where slot_name = '${slot}'`
  for (let triesLeft = 100; ; triesLeft--) {
    try {
      return await query(adminUrl, drop)
    } catch (err) {
      const inUse = err instanceof Error && 'code' in err && err.code === '55006'
      if (!inUse || triesLeft === 0) throw err
      await sleep(50)
    }
  }
}

async function query(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
