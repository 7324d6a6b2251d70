import { messagingConfig } from '@surehook/kafka/config/kafka-connection'
import { kafkaEnv } from '@surehook/kafka/config/kafka-env'
import { certificateEnv, certificateFiles } from '@surehook/service-kit/config/certificates'
import {
  encryptionKeyEnv,
  encryptionKeysOf,
  httpEnv,
  perSecondEnv,
  postgresEnv,
  readEnv,
  redisEnv,
} from '@surehook/service-kit/config/config'
import { databaseConnection, optionalRedis } from '@surehook/service-kit/config/connections'
import { networkList } from '@surehook/service-kit/outbound/network-list'
import { tracingConfig, tracingEnv } from '@surehook/service-kit/telemetry/tracing/open-tracing'
import * as z from 'zod'

export const service = 'postgres-source'

const mebibyte = 2 ** 20
/**
 * An event has at most 2 MiB, and an UPDATE comes with the row before it: sixteen times what can be
 * sent. A larger row goes to the invalid topic up to this size.
 */
const defaultMaxMessageBytes = 64 * mebibyte

export const Env = z.object({
  ...httpEnv,
  ...tracingEnv,
  ...certificateEnv,
  ...kafkaEnv,
  ...postgresEnv,
  ...encryptionKeyEnv,
  ...redisEnv,
  // For limits over all replicas.
  REDIS_URL: redisEnv.REDIS_URL.optional(),
  DATA_LIMIT_PER_SECOND: perSecondEnv(10_000),
  DATA_LIMIT_PER_CALLER_PER_SECOND: perSecondEnv(5_000),
  SOURCE_ALLOWED_NETWORKS: networkList,
  SOURCE_MAX_MESSAGE_BYTES: z.coerce
    .number()
    .int()
    .min(4 * mebibyte)
    .max(1024 * mebibyte)
    .default(defaultMaxMessageBytes),
})

export type Config = ReturnType<typeof readConfig>

/** Reads the environment; no other code does. A bad value throws before anything opens. */
export function readConfig(env: NodeJS.ProcessEnv) {
  const read = readEnv(Env, env)
  return Object.freeze({
    logLevel: read.LOG_LEVEL,
    tracing: tracingConfig(read, service),
    certificates: certificateFiles(read),
    http: { host: read.HOST, port: read.PORT },
    internal: { host: read.HOST, port: read.INTERNAL_PORT },
    databaseUrl: databaseConnection(read),
    ...messagingConfig(read, service),
    redis: optionalRedis(read),
    encryptionKeys: encryptionKeysOf(read),
    limits: {
      perSecond: read.DATA_LIMIT_PER_SECOND,
      perTokenPerSecond: read.DATA_LIMIT_PER_CALLER_PER_SECOND,
    },
    allowedNetworks: read.SOURCE_ALLOWED_NETWORKS,
    maxMessageBytes: read.SOURCE_MAX_MESSAGE_BYTES,
  })
}
