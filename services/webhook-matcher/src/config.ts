import { hostname } from 'node:os'
import {
  attemptsTopic,
  changesTopic,
  deadLetterTopic,
  deliveriesTopic,
  subscriptionsTopic,
  type TopicSpec,
  topicTable,
} from '@surehook/contracts/topics'
import { kafkaEnv, logEnv, readEnv } from '@surehook/service-kit/config'
import * as z from 'zod'

export const service = 'webhook-matcher'

const mebibyte = 1_048_576

const Env = z.object({
  ...logEnv,
  ...kafkaEnv,
  HOST: z.string().default('127.0.0.1'),
  INTERNAL_PORT: z.coerce.number().int().min(0).max(65_535),
  // What else is in a job must fit on the topic too, whose limit is 2 MiB.
  WEBHOOK_MAX_BODY: z.coerce.number().int().min(1024).max(1_900_000).default(mebibyte),
})

/** Where it reads and writes. Only tests use other names. */
export type Topics = Readonly<
  Record<'changes' | 'subscriptions' | 'deliveries' | 'deadLetter' | 'attempts', string>
>

export type Config = Readonly<{
  internal: { host: string; port: number }
  kafka: { brokers: string[]; partitions: number; replicationFactor: number; clientId: string }
  registryUrl: string
  topicTable: readonly TopicSpec[]
  topics: Topics
  groupId: string
  maxBodyBytes: number
}>

/** The only reader of the environment; a bad value stops the process before anything opens. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const read = readEnv(Env, env)
  return Object.freeze({
    internal: { host: read.HOST, port: read.INTERNAL_PORT },
    kafka: {
      brokers: read.KAFKA_BROKERS,
      partitions: read.KAFKA_PARTITIONS,
      replicationFactor: read.KAFKA_REPLICATION_FACTOR,
      clientId: `${service}-${hostname()}-${process.pid}`,
    },
    registryUrl: read.SCHEMA_REGISTRY_URL,
    topicTable: topicTable(read.WEBHOOK_RETRY_DELAYS.map(({ name }) => name)),
    topics: {
      changes: changesTopic,
      subscriptions: subscriptionsTopic,
      deliveries: deliveriesTopic,
      deadLetter: deadLetterTopic,
      attempts: attemptsTopic,
    },
    groupId: service,
    maxBodyBytes: read.WEBHOOK_MAX_BODY,
  })
}
