import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import type { Endpoints } from '../lib/endpoints.ts'
import type { Secrets, ServiceName } from './service-catalog.ts'

export type Address = { api: number | null; internal: number }

export type EnvironmentInput = {
  endpoints: Endpoints
  secrets: Secrets
  /** Each service's own connection string. */
  databaseUrls: Partial<Record<ServiceName, string>>
  /** The first replica of each service, to which the gateway sends requests. */
  addresses: Partial<Record<ServiceName, Address>>
  overrides: NodeJS.ProcessEnv
  /** The default is 127.0.0.1. */
  host?: string | undefined
}

/** Returns the variables of one service process, with only the secrets that it needs. */
export function environmentOf(
  service: ServiceName,
  address: Address,
  input: EnvironmentInput,
): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    NODE_OPTIONS: process.env['NODE_OPTIONS'],
    NODE_ENV: 'production',
    // As in the image.
    MALLOC_ARENA_MAX: '2',
    ...withoutSecrets(input.overrides),
    KAFKA_BROKERS: input.endpoints.kafkaBrokers,
    SCHEMA_REGISTRY_URL: input.endpoints.schemaRegistryUrl,
    ...ownVariables(service, input),
    HOST: input.host ?? '127.0.0.1',
    ...(address.api !== null && { PORT: String(address.api) }),
    INTERNAL_PORT: String(address.internal),
  }
}

function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { DATABASE_URL, REDIS_URL, KEY_ENCRYPTION_KEY, PLATFORM_ADMIN_TOKEN, ...others } = env
  const { SERVICE_TOKEN, SMTP_URL, KEY_ENCRYPTION_KEY_PREVIOUS, ...rest } = others
  return Object.fromEntries(
    Object.entries(rest).filter(([name]) => !name.startsWith('DATABASE_PASSWORD_')),
  )
}

function ownVariables(service: ServiceName, input: EnvironmentInput): NodeJS.ProcessEnv {
  const { secrets, databaseUrls, endpoints } = input
  const database = { DATABASE_URL: databaseUrls[service] }
  const encryption = {
    KEY_ENCRYPTION_KEY: secrets.keyEncryptionKey,
    KEY_ENCRYPTION_KEY_PREVIOUS: input.overrides['KEY_ENCRYPTION_KEY_PREVIOUS'],
  }
  const users = { PUBLIC_URL: publicUrlOf(input), SERVICE_TOKEN: secrets.serviceToken }
  switch (service) {
    case 'auth-service':
      return {
        ...database,
        ...encryption,
        ...users,
        REDIS_URL: endpoints.redisUrl,
        PLATFORM_ADMIN_TOKEN: secrets.adminToken,
        SMTP_URL: input.overrides['SMTP_URL'] || nobodyTakesMail,
        UV_THREADPOOL_SIZE: input.overrides['UV_THREADPOOL_SIZE'] || threadsFor(input.overrides),
      }
    case 'data-api':
      return {
        ...database,
        ...users,
        REDIS_URL: endpoints.redisUrl,
        AUTH_SERVICE_URL: authUrlOf(input),
      }
    case 'postgres-source':
      return { ...database, ...encryption, REDIS_URL: endpoints.redisUrl }
    case 'webhook-api':
      return {
        ...database,
        ...encryption,
        ...users,
        REDIS_URL: endpoints.redisUrl,
        AUTH_SERVICE_URL: authUrlOf(input),
        PLATFORM_ADMIN_TOKEN_SHA256: digestsOf(secrets.adminToken),
      }
    case 'webhook-matcher':
      return {}
    case 'webhook-dispatcher':
      return { ...encryption, REDIS_URL: endpoints.redisUrl }
    case 'gateway':
      return {
        AUTH_SERVICE_URL: authUrlOf(input),
        DATA_API_URL: input.overrides['DATA_API_URL'] || urlOf('data-api', input),
        POSTGRES_SOURCE_URL:
          input.overrides['POSTGRES_SOURCE_URL'] || urlOf('postgres-source', input),
        WEBHOOK_API_URL: input.overrides['WEBHOOK_API_URL'] || urlOf('webhook-api', input),
      }
  }
}

/** Returns the digest of each token in the list of `PLATFORM_ADMIN_TOKEN`. */
function digestsOf(tokens: string): string {
  const digest = (token: string) => createHash('sha256').update(token.trim()).digest('hex')
  return tokens.split(',').map(digest).join(',')
}

/**
 * One thread per concurrent password hash (by default one per core), and 4 for signatures and
 * files.
 */
function threadsFor({ AUTH_HASH_CONCURRENCY: hashes }: NodeJS.ProcessEnv): string {
  return String((Number(hashes) || availableParallelism()) + 4)
}

/** For systems without a mail server: mails wait in the outbox until their codes expire. */
const nobodyTakesMail = 'smtp://127.0.0.1:1'

function publicUrlOf({ overrides, addresses }: EnvironmentInput): string {
  return overrides['PUBLIC_URL'] || `http://localhost:${addresses.gateway?.api ?? 0}`
}

/** The address of a balancer, if one is set, or of the first replica. */
function authUrlOf(input: EnvironmentInput): string {
  return input.overrides['AUTH_SERVICE_URL'] || urlOf('auth-service', input)
}

function urlOf(service: ServiceName, { addresses }: EnvironmentInput): string {
  return `http://127.0.0.1:${addresses[service]?.api ?? 0}`
}
