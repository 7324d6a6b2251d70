import {
  attemptsTopic,
  changesTopic,
  deadLetterTopic,
  deliveriesTopic,
  subscriptionsTopic,
  type TopicSpec,
  topicTable,
} from '@surehook/contracts/topics'
import type { RegistrySecurity } from '@surehook/schemas/registry-client'
import {
  type CertificateFiles,
  certificateEnv,
  certificateFiles,
} from '@surehook/service-kit/config/certificates'
import { kafkaEnv, logEnv, maxBodyEnv, readEnv } from '@surehook/service-kit/config/config'
import {
  type KafkaConnection,
  kafkaConnection,
  registrySecurity,
} from '@surehook/service-kit/config/connections'
import { retryTopicNames } from '@surehook/service-kit/config/retry-ladder'
import { tracingConfig, tracingEnv } from '@surehook/service-kit/telemetry/tracing/open-tracing'
import type { TracingConfig } from '@surehook/service-kit/telemetry/tracing/tracer'
import * as z from 'zod'

export const service = 'webhook-matcher'

export const Env = z.object({
  ...logEnv,
  ...tracingEnv,
  ...certificateEnv,
  ...kafkaEnv,
  HOST: z.string().default('127.0.0.1'),
  INTERNAL_PORT: z.coerce.number().int().min(0).max(65_535),
  ...maxBodyEnv,
})

/** Where it reads and writes. Only tests use other names. */
export type Topics = Readonly<
  Record<'changes' | 'subscriptions' | 'deliveries' | 'deadLetter' | 'attempts', string>
>

export type Config = Readonly<{
  internal: { host: string; port: number }
  kafka: KafkaConnection
  tracing: TracingConfig | null
  certificates: CertificateFiles
  registryUrl: string
  registrySecurity: RegistrySecurity
  topicTable: readonly TopicSpec[]
  topics: Topics
  groupId: string
  maxBodyBytes: number
}>

/** The only reader of the environment; a bad value stops the process before anything opens. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const read = readEnv(Env, env)
  return Object.freeze({
    tracing: tracingConfig(read, service),
    certificates: certificateFiles(read),
    internal: { host: read.HOST, port: read.INTERNAL_PORT },
    kafka: kafkaConnection(read, service),
    registryUrl: read.SCHEMA_REGISTRY_URL,
    registrySecurity: registrySecurity(read),
    topicTable: topicTable(retryTopicNames(read)),
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
