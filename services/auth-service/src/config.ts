import { hostname } from 'node:os'
import { httpEnv, kafkaEnv, postgresEnv, readEnv } from '@surehook/service-kit/config'
import { slotOf } from '@surehook/service-kit/postgres/capture-slot'
import * as z from 'zod'

export const service = 'auth-service'

const Env = z.object({
  ...httpEnv,
  ...kafkaEnv,
  ...postgresEnv,
  PLATFORM_ADMIN_TOKEN: z.string().regex(/^\S{16,512}$/, 'must be 16 to 512 characters'),
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
    slot: slotOf(service),
    kafka: {
      brokers: read.KAFKA_BROKERS,
      partitions: read.KAFKA_PARTITIONS,
      replicationFactor: read.KAFKA_REPLICATION_FACTOR,
      clientId: `${service}-${hostname()}-${process.pid}`,
    },
    registryUrl: read.SCHEMA_REGISTRY_URL,
    delayNames: read.WEBHOOK_RETRY_DELAYS.map(({ name }) => name),
    adminToken: read.PLATFORM_ADMIN_TOKEN,
  })
}
