import { createLogger } from '@surehook/service-kit/log'
import { migrateAll } from '@surehook/service-kit/postgres/migrate'
import { repoRoot } from '../lib/paths.ts'
import { type ServiceName, serviceNames, serviceTraits } from './service-catalog.ts'

export type DatabaseOptions = { databaseUrl: string; keyEncryptionKey: string }

/** Roles, schemas, slots and tables of every service; returns each one's own connection string. */
export async function prepareDatabase({
  databaseUrl,
  keyEncryptionKey,
}: DatabaseOptions): Promise<Partial<Record<ServiceName, string>>> {
  const services = serviceNames.flatMap((service) => {
    const { database } = serviceTraits[service]
    const migrationsDir = `${repoRoot}/services/${service}/migrations`
    return database ? [{ service, migrationsDir, captures: true, ...database }] : []
  })
  return migrateAll({
    adminUrl: databaseUrl,
    keyEncryptionKey: Buffer.from(keyEncryptionKey, 'base64'),
    services,
    log: createLogger('migrate', 'warn'),
  })
}
