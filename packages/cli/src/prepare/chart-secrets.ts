import { createHash } from 'node:crypto'
import { serviceDatabaseUrl } from '@surehook/service-kit/postgres/service-role'
import { databaseServices, type ServiceName } from '../lib/service-catalog.ts'
import { newPassword, newSecrets } from './new-secrets.ts'
import { passwordVariable } from './prepare-database.ts'

export type ChartServers = {
  /** The administrator's URL. */
  databaseUrl: string
  /** `{service}` in it becomes the name of the service, for servers with a user for each. */
  redisUrl: string
  smtpUrl: string
  schemaRegistryPassword?: string | undefined
}

/** The variables of each Secret, by the suffix of its name: `surehook-auth-service-secrets`. */
export type ChartSecrets = Readonly<Record<string, Readonly<Record<string, string>>>>

const redisServices: readonly ServiceName[] = [
  'auth-service',
  'data-api',
  'postgres-source',
  'webhook-api',
  'webhook-dispatcher',
]

/** Makes the secrets of a new installation, as the chart reads them. Each call makes others. */
export function newChartSecrets(servers: ChartServers): ChartSecrets {
  const { adminToken, keyEncryptionKey, serviceToken } = newSecrets()
  const passwords = databaseServices.map((service) => [service, newPassword()] as const)
  const databaseUrls = passwords.map(([service, password]) => [
    service,
    { DATABASE_URL: serviceDatabaseUrl(servers.databaseUrl, service, password) },
  ])
  const ofService: Record<string, Record<string, string>> = Object.fromEntries(databaseUrls)
  for (const service of redisServices) {
    const redisUrl = servers.redisUrl.replaceAll('{service}', service)
    ofService[service] = { ...ofService[service], REDIS_URL: redisUrl }
  }
  return {
    secrets: {
      KEY_ENCRYPTION_KEY: keyEncryptionKey,
      PLATFORM_ADMIN_TOKEN: adminToken,
      PLATFORM_ADMIN_TOKEN_SHA256: createHash('sha256').update(adminToken).digest('hex'),
      SERVICE_TOKEN: serviceToken,
      SMTP_URL: servers.smtpUrl,
      ...(servers.schemaRegistryPassword && {
        SCHEMA_REGISTRY_PASSWORD: servers.schemaRegistryPassword,
      }),
    },
    'operator-secrets': {
      DATABASE_URL: servers.databaseUrl,
      ...Object.fromEntries(
        passwords.map(([service, password]) => [passwordVariable(service), password]),
      ),
    },
    ...Object.fromEntries(
      Object.entries(ofService).map(([service, variables]) => [`${service}-secrets`, variables]),
    ),
  }
}

type SecretManifest = {
  apiVersion: 'v1'
  kind: 'Secret'
  metadata: { name: string; namespace: string }
  stringData: Readonly<Record<string, string>>
}

/** @param release the chart's full name, with which the names of its Secrets begin */
export function secretManifests(
  secrets: ChartSecrets,
  { release, namespace }: { release: string; namespace: string },
): SecretManifest[] {
  return Object.entries(secrets).map(([suffix, stringData]) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `${release}-${suffix}`, namespace },
    stringData,
  }))
}
