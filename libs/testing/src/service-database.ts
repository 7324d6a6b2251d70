import { randomBytes } from 'node:crypto'
import { slotOf } from '@surehook/service-kit/postgres/capture-slot'
import {
  type MigratedService,
  migrateAll,
  migrateService,
  servicePassword,
} from '@surehook/service-kit/postgres/migrate'
import { siblingUrl } from '@surehook/service-kit/postgres/sibling-database'
import { escapeIdentifier } from 'pg'
import type { Logger } from 'pino'
import { dropSlots, query } from './database.ts'
import { patienceMs } from './until.ts'

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
  /** Migrations of further databases of the service, by the suffix of their names. */
  siblings?: Readonly<Record<string, string>>
  keyEncryptionKey: Buffer
  log: Logger
}

/**
 * The URL for a service that a test does not ask about its wait for a connection: on a busy machine,
 * a 503 would hide the result under test.
 */
export function patientUrl(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.searchParams.set('connect_timeout', String(patienceMs / 1_000))
  return url.href
}

/** Creates a migrated database for one test file. Disposal drops it and its slot. */
export async function openTestDatabase(options: TestDatabaseOptions): Promise<TestDatabase> {
  const { adminUrl, service, siblings = {}, keyEncryptionKey, log } = options
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
  for (const [sibling, migrationsDir] of Object.entries(siblings)) {
    await query(adminUrl, `create database ${escapeIdentifier(`${name}_${sibling}`)}`)
    const rolePassword = servicePassword(keyEncryptionKey, service.service)
    const place = { adminUrl: siblingUrl(url.href, sibling), rolePassword, log }
    await migrateService({ service: service.service, migrationsDir, ...place })
  }
  return {
    databaseUrl: urls[service.service] ?? '',
    adminUrl: url.href,
    slot,
    async [Symbol.asyncDispose]() {
      await dropSlots(adminUrl, name)
      const siblingNames = Object.keys(siblings).map((sibling) => `${name}_${sibling}`)
      for (const one of [name, ...siblingNames]) {
        await query(adminUrl, `drop database ${escapeIdentifier(one)} with (force)`)
      }
    },
  }
}
