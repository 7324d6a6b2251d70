import type { Endpoints } from '../lib/endpoints.ts'
import type { Secrets, ServiceName } from './service-catalog.ts'

export type Address = { api: number | null; internal: number }

export type EnvironmentInput = {
  endpoints: Endpoints
  secrets: Secrets
  /** Each service's own connection string. */
  databaseUrls: Partial<Record<ServiceName, string>>
  /** First replica of each service: where the gateway sends requests. */
  addresses: Partial<Record<ServiceName, Address>>
  overrides: NodeJS.ProcessEnv
}

/** The variables of one service process. It gets the secrets it needs and no others. */
export function environmentOf(
  service: ServiceName,
  address: Address,
  input: EnvironmentInput,
): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    NODE_ENV: 'production',
    ...withoutSecrets(input.overrides),
    KAFKA_BROKERS: input.endpoints.kafkaBrokers,
    SCHEMA_REGISTRY_URL: input.endpoints.schemaRegistryUrl,
    ...ownVariables(service, input),
    HOST: '127.0.0.1',
    ...(address.api !== null && { PORT: String(address.api) }),
    INTERNAL_PORT: String(address.internal),
  }
}

function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { DATABASE_URL, REDIS_URL, KEY_ENCRYPTION_KEY, PLATFORM_ADMIN_TOKEN, ...rest } = env
  return rest
}

function ownVariables(service: ServiceName, input: EnvironmentInput): NodeJS.ProcessEnv {
  const { secrets, databaseUrls, endpoints } = input
  const database = { DATABASE_URL: databaseUrls[service] }
  const encryption = { KEY_ENCRYPTION_KEY: secrets.keyEncryptionKey }
  switch (service) {
    case 'auth-service':
      return { ...database, ...encryption, PLATFORM_ADMIN_TOKEN: secrets.adminToken }
    case 'data-api':
      return database
    case 'webhook-api':
      return { ...database, ...encryption }
    case 'webhook-matcher':
      return {}
    case 'webhook-dispatcher':
      return { ...encryption, REDIS_URL: endpoints.redisUrl }
    case 'gateway':
      return {
        AUTH_SERVICE_URL: urlOf('auth-service', input),
        DATA_API_URL: urlOf('data-api', input),
        WEBHOOK_API_URL: urlOf('webhook-api', input),
      }
  }
}

function urlOf(service: ServiceName, { addresses }: EnvironmentInput): string {
  return `http://127.0.0.1:${addresses[service]?.api ?? 0}`
}
