import { migrateService, withClient } from '@surehook/service-kit/postgres/migrate'
import { serviceDatabaseUrl } from '@surehook/service-kit/postgres/service-role'
import {
  databaseOf,
  ensureDatabase,
  siblingUrl,
} from '@surehook/service-kit/postgres/sibling-database'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import { Failure } from '../cli/command.ts'
import { surehookRoot } from '../lib/root.ts'

export type HistoryOptions = {
  /** URL of the administrator of the services' database. */
  databaseUrl: string
  /**
   * URL of an existing history database, with an administrator's role. Without it, the history
   * database is on the server of the services' database.
   */
  historyDatabaseUrl?: string | undefined
  rolePassword: string
  log: Logger
}

/** The service whose history this is. */
const service = 'webhook-api'

/**
 * Creates the history database, with the role, schema and tables of webhook-api. On another server,
 * the role gets no right to replicate.
 * @returns the connection string of webhook-api
 */
export async function prepareHistory(options: HistoryOptions): Promise<string> {
  const { databaseUrl, historyDatabaseUrl, rolePassword, log } = options
  const adminUrl = historyDatabaseUrl ?? siblingUrl(databaseUrl, 'history')
  if (historyDatabaseUrl === undefined) await createDatabase(databaseUrl, databaseOf(adminUrl))
  const migrationsDir = `${surehookRoot}/services/${service}/migrations/history`
  await migrateService({ service, migrationsDir, adminUrl, rolePassword, log })
  const url = serviceDatabaseUrl(adminUrl, service, rolePassword)
  const ownUrl = serviceDatabaseUrl(databaseUrl, service, rolePassword)
  if (await hasOlderHistory(ownUrl)) await withClient(url, (owner) => owner.query(beginMove))
  return url
}

async function createDatabase(databaseUrl: string, name: string): Promise<void> {
  if (await withClient(databaseUrl, (admin) => ensureDatabase(admin, name))) return
  throw new Failure(
    `the role of DATABASE_URL may not create the database "${name}" for the history. Create it, owned ` +
      'by this role, or set HISTORY_DATABASE_URL to another database. Then repeat the command',
  )
}

/** webhook-api moves these rows while it runs. */
function hasOlderHistory(url: string): Promise<boolean> {
  return withClient(url, async (owner) => {
    const { rows } = await owner.query<{ found: boolean }>('select has_older_history() as found')
    return rows[0]?.found === true
  })
}

// Until the move has ended, the history counts as incomplete.
const beginMove = `insert into history_rebuild (id, state) values (gen_random_uuid(), 'moving')
  on conflict ((true)) where state <> 'done' do nothing`
