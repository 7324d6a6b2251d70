import { topicTable } from '@surehook/contracts/topics'
import type { Kafka } from '@surehook/kafka/client/surface'
import { type AlignedTopic, alignTopics } from '@surehook/kafka/topics/align-topics'
import { type GrownTopic, growTopics } from '@surehook/kafka/topics/grow-topics'
import { ensureTopics } from '@surehook/kafka/topics/topics'
import { openEventCodec } from '@surehook/schemas/codec'
import { eventSchemas } from '@surehook/schemas/event-schemas'
import type { RegistrySecurity } from '@surehook/schemas/registry-client'
import type { Logger } from '@surehook/service-kit/telemetry/log'

export type TopicsOptions = {
  kafka: Kafka
  /** Delays of the retry topics, as configured. */
  delayNames: readonly string[]
  mainPartitions: number
  replicationFactor: number
  log: Logger
  signal: AbortSignal
}

export type PreparedTopics = { names: string[]; aligned: AlignedTopic[]; grown: GrownTopic[] }

/**
 * Adds partitions to existing topics, creates missing ones, and updates the settings of topics that
 * an older version created. Throws if a topic has more partitions than asked for.
 */
export async function prepareTopics({
  kafka,
  delayNames,
  ...options
}: TopicsOptions): Promise<PreparedTopics> {
  const table = topicTable(delayNames)
  const { mainPartitions: partitions, log } = options
  const grown = await growTopics(kafka, table, { partitions, log })
  await ensureTopics(kafka, table, options)
  const aligned = await alignTopics(kafka, table, options.log)
  return { names: table.map(({ name }) => name), aligned, grown }
}

/** Registers every schema under FULL_TRANSITIVE. Throws if one is not compatible. */
export async function prepareSchemas(registry: {
  registryUrl: string
  registrySecurity?: RegistrySecurity
  log: Logger
}): Promise<string[]> {
  await openEventCodec(registry)
  return Object.values(eventSchemas).map(({ subject }) => subject)
}
