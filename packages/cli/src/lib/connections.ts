import { createKafka } from '@surehook/kafka/client/client'
import type { Kafka } from '@surehook/kafka/client/surface'
import { kafkaSecurity, registrySecurity } from '@surehook/kafka/config/kafka-connection'
import { kafkaEnv } from '@surehook/kafka/config/kafka-env'
import { askRegistry as ask } from '@surehook/schemas/registry-client'
import { postgresEnv, readEnv, redisEnv } from '@surehook/service-kit/config/config'
import {
  databaseConnection,
  redisConnection,
  siblingConnection,
} from '@surehook/service-kit/config/connections'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import * as z from 'zod'

/** Schemas of the variables, shared with the services. */
const KafkaPart = z.object(kafkaEnv)
const Postgres = z.object({
  ...postgresEnv,
  HISTORY_DATABASE_URL: postgresEnv.DATABASE_URL.optional(),
})
const Redis = z.object(redisEnv)

export type KafkaVariables = z.infer<typeof KafkaPart>

export const readKafkaVariables = (env: NodeJS.ProcessEnv): KafkaVariables =>
  readEnv(KafkaPart, env)

export function kafkaClient(read: Omit<KafkaVariables, 'SCHEMA_REGISTRY_URL'>, log: Logger): Kafka {
  const { KAFKA_BROKERS: brokers } = read
  return createKafka({ brokers, clientId: 'surehook-operator', security: kafkaSecurity(read), log })
}

export const databaseUrlOf = (env: NodeJS.ProcessEnv): string =>
  databaseConnection(readEnv(Postgres, env))

/** Returns the URL of the history database, by the rule of webhook-api. */
export function historyUrlOf(env: NodeJS.ProcessEnv): string {
  const read = readEnv(Postgres, env)
  const of = { suffix: 'history', name: 'HISTORY_DATABASE_URL' }
  return siblingConnection(read, { ...of, url: read.HISTORY_DATABASE_URL })
}

/** Tries to connect only once, because the doctor must report a failure at once. */
export function redisOptionsOf(env: NodeJS.ProcessEnv) {
  const { url, ca } = redisConnection(readEnv(Redis, env))
  const bounds = { connectTimeout: 3_000, socketTimeout: 4_000, reconnectStrategy: false as const }
  const quiet = { disableClientInfo: true as const }
  return {
    ...quiet,
    url,
    socket: ca === undefined ? bounds : { ...bounds, tls: true as const, ca },
  }
}

/** Sends a request to the registry. Resolves with its status and its JSON body. */
export async function askRegistry(
  read: KafkaVariables,
  path: string,
): Promise<{ status: number; body: unknown }> {
  const url = read.SCHEMA_REGISTRY_URL.replace(/\/+$/, '')
  const { status, text } = await ask({ url, security: registrySecurity(read) }, { path })
  return { status, body: text === '' ? null : JSON.parse(text) }
}
