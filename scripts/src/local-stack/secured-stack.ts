import { type RedisUser, redisUsers } from '@surehook/contracts/access/redis-access'
import { createKafka } from '@surehook/kafka/client/client'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import type { ServiceName } from 'surehook/lib/service-catalog'
import { prepareKafkaAccess } from 'surehook/prepare/prepare-kafka-access'
import type { Endpoints } from '../lib/endpoints.ts'
import { type LocalStack, startLocalStack } from './local-stack.ts'
import { type Credentials, makeCredentials } from './secured/credentials.ts'
import { openRegistryProxy } from './secured/registry-proxy.ts'

export type SecuredStack = AsyncDisposable & {
  /**
   * PostgreSQL's endpoint is that of an administrator. The others need the variables of
   * `variablesOf`.
   */
  readonly endpoints: Endpoints
  readonly credentials: Credentials
  readonly processes: LocalStack['processes']
  /** The credentials and trusted certificates of a service, of `operator` or of `admin`. */
  variablesOf(user: ServiceName | 'operator' | 'admin'): Record<string, string>
}

/** Starts a stack with TLS and users, each with only the rights it needs. */
export async function startSecuredStack(options: {
  dir: string
  log?: (line: string) => void
}): Promise<SecuredStack> {
  await using opening = new AsyncDisposableStack()
  const credentials = await makeCredentials(`${options.dir}/credentials`)
  const stack = await startLocalStack({ ...options, secured: credentials })
  opening.defer(() => stack.stop())
  const registryProxy = opening.use(await openRegistryProxy(stack.schemaRegistryUrl, credentials))
  const { kafka: passwords, ca } = credentials
  const admin = {
    mechanism: 'scram-sha-512',
    username: 'admin',
    password: passwords.admin,
  } as const
  const kafka = createKafka({
    brokers: [stack.kafkaBrokers],
    clientId: 'stack',
    security: { ssl: { ca }, sasl: admin },
    log: createLogger('stack', 'silent'),
  })
  await prepareKafkaAccess(kafka)
  const { databaseUrl, kafkaBrokers, redisUrl } = stack
  const endpoints = { databaseUrl, kafkaBrokers, redisUrl, schemaRegistryUrl: registryProxy.url }
  const resources = opening.move()
  return {
    endpoints,
    credentials,
    processes: stack.processes,
    variablesOf: (user) => variablesOf(user, { endpoints, credentials }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

function variablesOf(
  user: ServiceName | 'operator' | 'admin',
  { endpoints, credentials }: Pick<SecuredStack, 'endpoints' | 'credentials'>,
): Record<string, string> {
  // The gateway uses none of the components.
  if (user === 'gateway') return {}
  const { caFile, kafka, redis, registry } = credentials
  return {
    KAFKA_BROKERS: endpoints.kafkaBrokers,
    KAFKA_TLS: 'true',
    KAFKA_CA_FILE: caFile,
    KAFKA_SASL_MECHANISM: 'scram-sha-512',
    KAFKA_SASL_USERNAME: user,
    KAFKA_SASL_PASSWORD: kafka[user],
    KAFKA_CREATE_TOPICS: user === 'operator' ? 'true' : 'false',
    SCHEMA_REGISTRY_URL: endpoints.schemaRegistryUrl,
    SCHEMA_REGISTRY_CA_FILE: caFile,
    SCHEMA_REGISTRY_USERNAME: registry.username,
    SCHEMA_REGISTRY_PASSWORD: registry.password,
    DATABASE_CA_FILE: caFile,
    ...(usesRedis(user) && {
      REDIS_URL: endpoints.redisUrl.replace('://', `://${user}:${redis[user]}@`),
      REDIS_CA_FILE: caFile,
    }),
  }
}

const usesRedis = (user: string): user is RedisUser | 'admin' =>
  user === 'admin' || redisUsers.some((one) => one === user)
