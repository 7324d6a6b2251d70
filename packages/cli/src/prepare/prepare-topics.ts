import { topicTable } from '@surehook/contracts/topics'
import type { Kafka } from '@surehook/kafka/client/surface'
import { type AlignedTopic, alignTopics } from '@surehook/kafka/topics/align-topics'
import { ensureTopics } from '@surehook/kafka/topics/topics'
import { openEventCodec } from '@surehook/schemas/codec'
import { eventSchemas } from '@surehook/schemas/event-schemas'
import type { RegistrySecurity } from '@surehook/schemas/registry-client'
import type { Logger } from '@surehook/service-kit/telemetry/log'

export type TopicsOptions = {
  kafka: Kafka
  /** Names of the retry topics' delays, as configured. */
  delayNames: readonly string[]
  mainPartitions: number
  replicationFactor: number
  log: Logger
  signal: AbortSignal
}

export type PreparedTopics = { names: string[]; aligned: AlignedTopic[] }

/**
 * Makes the topics that are missing, and brings those that an older version has made to what this one expects. Other
 * partitions are an error.
 */
export async function prepareTopics({
  kafka,
  delayNames,
  ...options
}: TopicsOptions): Promise<PreparedTopics> {
  const table = topicTable(delayNames)
  await ensureTopics(kafka, table, options)
  const aligned = await alignTopics(kafka, table, options.log)
  return { names: table.map(({ name }) => name), aligned }
}

/** Registers every schema under FULL_TRANSITIVE; one that is not compatible is an error. */
export async function prepareSchemas(registry: {
  registryUrl: string
  registrySecurity?: RegistrySecurity
  log: Logger
}): Promise<string[]> {
  await openEventCodec(registry)
  return Object.values(eventSchemas).map(({ subject }) => subject)
}
