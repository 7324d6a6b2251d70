import {
  migrateService,
  serviceDatabaseUrl,
  servicePassword,
} from '@surehook/service-kit/postgres/migrate'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import { surehookRoot } from '../lib/root.ts'
import { databaseServices, type ServiceName, serviceTraits } from '../lib/service-catalog.ts'
import { prepareHistory } from './prepare-history.ts'

export type DatabaseOptions = {
  /** URL with an administrator's role, which may create roles, schemas and a database. */
  databaseUrl: string
  /** As in `HistoryOptions`. */
  historyDatabaseUrl?: string | undefined
  /** 32 bytes in base64. Passwords that `rolePasswords` does not name are derived from it. */
  keyEncryptionKey?: string | undefined
  rolePasswords?: Partial<Record<ServiceName, string>>
  /** The checkout whose migrations run. */
  root?: string | undefined
  log: Logger
}

/**
 * Creates the role, schema, tables and, if it captures, slot of every service, and the history database. It can be
 * repeated and run from several machines at once.
 * @returns the connection string of each service
 */
export async function prepareDatabase(
  options: DatabaseOptions,
): Promise<Partial<Record<ServiceName, string>>> {
  const { databaseUrl: adminUrl, historyDatabaseUrl, root = surehookRoot, log } = options
  // Reads all passwords before the first change, so that a missing one changes nothing.
  const passwords = databaseServices.map((service) => passwordOf(service, options))
  const urls: Partial<Record<ServiceName, string>> = {}
  for (const [index, service] of databaseServices.entries()) {
    const rolePassword = passwords[index] ?? ''
    await migrateService({
      service,
      migrationsDir: `${root}/services/${service}/migrations`,
      ...serviceTraits[service].database,
      adminUrl,
      rolePassword,
      log,
    })
    urls[service] = serviceDatabaseUrl(adminUrl, service, rolePassword)
  }
  const rolePassword = passwords[databaseServices.indexOf('webhook-api')] ?? ''
  await prepareHistory({ databaseUrl: adminUrl, historyDatabaseUrl, rolePassword, root, log })
  return urls
}

/** `auth-service` → `DATABASE_PASSWORD_AUTH_SERVICE`. */
export const passwordVariable = (service: ServiceName): string =>
  `DATABASE_PASSWORD_${service.replaceAll('-', '_').toUpperCase()}`

function passwordOf(
  service: ServiceName,
  { rolePasswords, keyEncryptionKey }: Pick<DatabaseOptions, 'rolePasswords' | 'keyEncryptionKey'>,
): string {
  const given = rolePasswords?.[service]
  if (given) return given
  if (keyEncryptionKey) return servicePassword(Buffer.from(keyEncryptionKey, 'base64'), service)
  throw new Error(
    `${passwordVariable(service)} is not set, nor KEY_ENCRYPTION_KEY to derive it from`,
  )
}
