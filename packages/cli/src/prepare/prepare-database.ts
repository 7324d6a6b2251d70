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
  const { databaseUrl: adminUrl, historyDatabaseUrl, log } = options
  // Reads all passwords before the first change, so that a missing one changes nothing.
  const passwords = rolePasswordsOf(options)
  for (const service of databaseServices) {
    const rolePassword = passwords[service] ?? ''
    await migrateService({
      service,
      migrationsDir: `${surehookRoot}/services/${service}/migrations`,
      ...serviceTraits[service].database,
      adminUrl,
      rolePassword,
      log,
    })
  }
  const rolePassword = passwords['webhook-api'] ?? ''
  await prepareHistory({ databaseUrl: adminUrl, historyDatabaseUrl, rolePassword, log })
  return databaseUrlsOf(options)
}

type Passwords = Pick<DatabaseOptions, 'rolePasswords' | 'keyEncryptionKey'>

/** Returns the connection string of each service. */
export function databaseUrlsOf(
  options: Passwords & Pick<DatabaseOptions, 'databaseUrl'>,
): Partial<Record<ServiceName, string>> {
  const passwords = rolePasswordsOf(options)
  return Object.fromEntries(
    databaseServices.map((service) => [
      service,
      serviceDatabaseUrl(options.databaseUrl, service, passwords[service] ?? ''),
    ]),
  )
}

const rolePasswordsOf = (passwords: Passwords): Partial<Record<ServiceName, string>> =>
  Object.fromEntries(databaseServices.map((service) => [service, passwordOf(service, passwords)]))

/** `auth-service` → `DATABASE_PASSWORD_AUTH_SERVICE`. */
export const passwordVariable = (service: ServiceName): string =>
  `DATABASE_PASSWORD_${service.replaceAll('-', '_').toUpperCase()}`

function passwordOf(service: ServiceName, { rolePasswords, keyEncryptionKey }: Passwords): string {
  const given = rolePasswords?.[service]
  if (given) return given
  if (keyEncryptionKey) return servicePassword(Buffer.from(keyEncryptionKey, 'base64'), service)
  throw new Error(
    `${passwordVariable(service)} is not set, nor KEY_ENCRYPTION_KEY to derive it from`,
  )
}
