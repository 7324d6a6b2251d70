import { matcherGroup } from '@surehook/contracts/groups'
import {
  attemptsTopic,
  changesTopic,
  deadLetterTopic,
  deliveriesTopic,
  subscriptionsTopic,
  type TopicSpec,
  topicTable,
} from '@surehook/contracts/topics'
import { type KafkaConnection, messagingConfig } from '@surehook/kafka/config/kafka-connection'
import { kafkaEnv } from '@surehook/kafka/config/kafka-env'
import { maxBodyEnv } from '@surehook/matching/body-limit'
import type { RegistrySecurity } from '@surehook/schemas/registry-client'
import {
  type CertificateFiles,
  certificateEnv,
  certificateFiles,
} from '@surehook/service-kit/config/certificates'
import { logEnv, readEnv } from '@surehook/service-kit/config/config'
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

/** The topics to read and write. Only tests use other names. */
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

/** Reads the environment; no other code does. A bad value throws before anything opens. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const read = readEnv(Env, env)
  const { delayNames, ...connections } = messagingConfig(read, service)
  return Object.freeze({
    tracing: tracingConfig(read, service),
    certificates: certificateFiles(read),
    internal: { host: read.HOST, port: read.INTERNAL_PORT },
    ...connections,
    topicTable: topicTable(delayNames),
    topics: {
      changes: changesTopic,
      subscriptions: subscriptionsTopic,
      deliveries: deliveriesTopic,
      deadLetter: deadLetterTopic,
      attempts: attemptsTopic,
    },
    groupId: matcherGroup,
    maxBodyBytes: read.WEBHOOK_MAX_BODY,
  })
}
