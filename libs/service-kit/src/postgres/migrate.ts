import { runner } from 'node-pg-migrate'
import { Client, escapeIdentifier } from 'pg'
import type { Logger } from 'pino'
import { capturePublication, ensureCaptureSlot, slotOf } from './capture-slot.ts'
import { idleTransactionTimeoutMs } from './pool.ts'
import { ensureServiceRole, schemaOf, serviceDatabaseUrl, servicePassword } from './service-role.ts'

export { serviceDatabaseUrl, servicePassword } from './service-role.ts'

export type MigratedService = {
  /**
   * Directory name under `services/`. The schema `data_api` and the role `surehook_data_api` derive
   * from it.
   */
  service: string
  /** Directory of `NNNN-what-it-does.sql` files, each run once, in the order of their numbers. */
  migrationsDir: string
  /** True if the service captures its writes. It then gets a replication slot before its first write. */
  captures?: boolean
  /** True if the service creates schemas at run time. */
  mayCreateSchemas?: boolean
  /** Name of the slot. Slots belong to the cluster, so tests on a shared one need unique names. */
  slot?: string
}

export type MigrateOptions = MigratedService & {
  adminUrl: string
  rolePassword: string
  log: Logger
}

// One lock for everything that is created once per database, for all migrating processes.
const lockKey = 0x5c4e_400c

/**
 * Creates or updates the role, schema, publication, slot and tables of a service. It can be
 * repeated and run from several machines at once. Migrations run in one transaction with the
 * service's own role.
 */
export async function migrateService(options: MigrateOptions): Promise<void> {
  const { adminUrl, service, rolePassword, mayCreateSchemas = false, captures = false } = options
  await withClient(adminUrl, async (admin) => {
    await admin.query('select pg_advisory_lock($1)', [lockKey])
    const role = { service, password: rolePassword, mayCreateSchemas, replicates: captures }
    await ensureServiceRole(admin, role)
    if (captures) await ensurePublication(admin)
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
    // Our own lock is held already. It waits, while the library's lock fails at once.
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

export async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
  })
  // A broken connection also rejects the query in flight. Without a listener it would end the
  // process.
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
 * Migrates the services one after another. Scripts call it before they start them.
 * @returns the `DATABASE_URL` of each service by its name
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
