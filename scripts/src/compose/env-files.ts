import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { roleOf } from '@surehook/service-kit/postgres/service-role'
import { passwordVariable } from 'surehook/prepare/prepare-database'
import { databaseServices, type ServiceName } from '../system/service-catalog.ts'
import { singleEnvironment } from '../system/single-environment.ts'
import type { ComposeSecrets } from './compose-secrets.ts'

type Variables = Readonly<Record<string, string>>

/**
 * Returns the secrets of each container, by the name of its env file. Each container gets only its
 * own.
 */
export function envFilesOf(secrets: ComposeSecrets): Readonly<Record<string, Variables>> {
  const { adminToken, keyEncryptionKey, serviceToken, databasePasswords } = secrets
  const encryption = { KEY_ENCRYPTION_KEY: keyEncryptionKey }
  const database = (service: ServiceName) => ({
    DATABASE_URL: databaseUrl(roleOf(service), databasePasswords[service] ?? ''),
  })
  const services = {
    'auth-service': {
      ...database('auth-service'),
      ...encryption,
      SERVICE_TOKEN: serviceToken,
      PLATFORM_ADMIN_TOKEN: adminToken,
      // Not secret, but it depends on this machine: one thread per core for password hashes, and 4
      // for other work.
      UV_THREADPOOL_SIZE: String(availableParallelism() + 4),
    },
    'data-api': { ...database('data-api'), SERVICE_TOKEN: serviceToken },
    'postgres-source': { ...database('postgres-source'), ...encryption },
    'webhook-api': {
      ...database('webhook-api'),
      ...encryption,
      SERVICE_TOKEN: serviceToken,
      PLATFORM_ADMIN_TOKEN_SHA256: createHash('sha256').update(adminToken).digest('hex'),
    },
    'webhook-matcher': {},
    'webhook-dispatcher': encryption,
    gateway: {},
  }
  const { 'webhook-matcher': _matcher, gateway: _gateway, ...withSecrets } = services
  return {
    ...withSecrets,
    'single-process': singleEnvironment(services) as Variables,
    'prepare-database': {
      DATABASE_URL: databaseUrl('postgres', secrets.postgresPassword),
      ...Object.fromEntries(
        databaseServices.map((name) => [passwordVariable(name), databasePasswords[name] ?? '']),
      ),
    },
    postgres: { POSTGRES_PASSWORD: secrets.postgresPassword },
    grafana: { GF_SECURITY_ADMIN_PASSWORD: secrets.grafanaPassword },
  }
}

const databaseUrl = (user: string, password: string) =>
  `postgres://${user}:${password}@postgres:5432/surehook`
