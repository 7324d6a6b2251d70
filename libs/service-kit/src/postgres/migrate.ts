import { runner } from 'node-pg-migrate'
import { Client, escapeIdentifier } from 'pg'
import type { Logger } from 'pino'
import { capturePublication, ensureCaptureSlot, slotOf } from './capture-slot.ts'
import { ensureServiceRole, schemaOf, serviceDatabaseUrl, servicePassword } from './service-role.ts'

export { serviceDatabaseUrl, servicePassword } from './service-role.ts'

export type MigratedService = {
  /** Directory name under `services/`: schema `data_api` and role `surehook_data_api` follow from it. */
  service: string
  /** `NNNN-what-it-does.sql` files, run in the order of their numbers, each once. */
  migrationsDir: string
  /** The service emits changes: it gets a replication slot before its first write. */
  captures?: boolean
  /** The service makes schemas of its own at run time (data-api: one per environment). */
  mayCreateSchemas?: boolean
  /** Slots belong to the cluster: tests on a shared one give theirs a name of its own. */
  slot?: string
}

export type MigrateOptions = MigratedService & {
  adminUrl: string
  rolePassword: string
  log: Logger
}

// One lock for everything that is made once per database, whoever migrates.
const lockKey = 0x5c4e_400c

/**
 * Brings the database to what the service's code expects: role, schema, publication, slot, tables.
 * Safe to repeat and to run from several places at once. Migrations run as the service's own role, in
 * one transaction.
 */
export async function migrateService(options: MigrateOptions): Promise<void> {
  const { adminUrl, service, rolePassword, mayCreateSchemas = false } = options
  await withClient(adminUrl, async (admin) => {
    await admin.query('select pg_advisory_lock($1)', [lockKey])
    await ensureServiceRole(admin, { service, password: rolePassword, mayCreateSchemas })
    await ensurePublication(admin)
    await withClient(serviceDatabaseUrl(adminUrl, service, rolePassword), (owner) =>
      migrateAsOwner(owner, options),
    )
  })
}

async function migrateAsOwner(owner: Client, options: MigrateOptions): Promise<void> {
  const { service, migrationsDir, captures = false, slot = slotOf(service), log } = options
  if (captures) await ensureCaptureSlot(owner, slot)
  const schema = schemaOf(service)
  const run = await runner({
    dbClient: owner,
    dir: migrationsDir,
    direction: 'up',
    schema,
    migrationsSchema: schema,
    migrationsTable: 'schema_migrations',
    singleTransaction: true,
    // Ours is held already, and waits where theirs gives up.
    noLock: true,
    logger: {
      debug: () => {},
      info: () => {},
      warn: (message) => log.warn({ service, message }, 'migration.warning'),
      error: (message) => log.error({ service, message }, 'migration.failed'),
    },
  })
  log.info({ service, migrations: run.map(({ name }) => name) }, 'database.migrated')
}

async function ensurePublication(admin: Client): Promise<void> {
  const { rowCount } = await admin.query('select from pg_publication where pubname = $1', [
    capturePublication,
  ])
  if (rowCount === 0) {
    await admin.query(`create publication ${escapeIdentifier(capturePublication)}`)
  }
}

async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  // A broken connection also rejects the query in flight; without a listener it would end the process.
  client.on('error', () => {})
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

export type MigrateAllOptions = {
  adminUrl: string
  keyEncryptionKey: Buffer
  services: readonly MigratedService[]
  log: Logger
}

/**
 * Migrates one service after the other; scripts call this before they start them.
 * @returns the `DATABASE_URL` of each service, by its name
 */
export async function migrateAll(options: MigrateAllOptions): Promise<Record<string, string>> {
  const { adminUrl, keyEncryptionKey, services, log } = options
  const urls: Record<string, string> = {}
  for (const described of services) {
    const rolePassword = servicePassword(keyEncryptionKey, described.service)
    await migrateService({ ...described, adminUrl, rolePassword, log })
    urls[described.service] = serviceDatabaseUrl(adminUrl, described.service, rolePassword)
  }
  return urls
}
