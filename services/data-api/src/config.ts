import { hostname } from 'node:os'
import { httpEnv, kafkaEnv, postgresEnv, readEnv } from '@surehook/service-kit/config'
import { slotOf } from '@surehook/service-kit/postgres/capture-slot'
import * as z from 'zod'

export const service = 'data-api'

/** Without a slash at its end. */
const httpUrl = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''))

const Env = z.object({
  ...httpEnv,
  ...kafkaEnv,
  ...postgresEnv,
  AUTH_SERVICE_URL: httpUrl,
  PUBLIC_URL: httpUrl,
  SERVICE_TOKEN: z.string().regex(/^\S{16,512}$/, 'must be 16 to 512 characters'),
  DATABASE_POOL_SIZE: z.coerce.number().int().min(2).max(200).default(16),
})

export type Config = ReturnType<typeof readConfig>

/** The only reader of the environment; a bad value stops the process before anything opens. */
export function readConfig(env: NodeJS.ProcessEnv) {
  const read = readEnv(Env, env)
  return Object.freeze({
    logLevel: read.LOG_LEVEL,
    http: { host: read.HOST, port: read.PORT },
    internal: { host: read.HOST, port: read.INTERNAL_PORT },
    databaseUrl: read.DATABASE_URL,
    poolSize: read.DATABASE_POOL_SIZE,
    slot: slotOf(service),
    kafka: {
      brokers: read.KAFKA_BROKERS,
      partitions: read.KAFKA_PARTITIONS,
      replicationFactor: read.KAFKA_REPLICATION_FACTOR,
      clientId: `${service}-${hostname()}-${process.pid}`,
    },
    registryUrl: read.SCHEMA_REGISTRY_URL,
    auth: {
      /** Where auth-service answers us. */
      url: read.AUTH_SERVICE_URL,
      /** What clients see as the base URL: whose tokens count follows from it. */
      publicUrl: read.PUBLIC_URL,
      serviceToken: read.SERVICE_TOKEN,
    },
    delayNames: read.WEBHOOK_RETRY_DELAYS.map(({ name }) => name),
  })
}
