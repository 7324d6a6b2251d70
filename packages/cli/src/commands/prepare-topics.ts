import { createKafka } from '@surehook/kafka/client/client'
import { kafkaEnv, readEnv } from '@surehook/service-kit/config/config'
import { kafkaSecurity, registrySecurity } from '@surehook/service-kit/config/connections'
import * as z from 'zod'
import { defineCommand, exitCodes } from '../cli/command.ts'
import { quietLog } from '../lib/quiet-log.ts'
import { waitFor, waitOption } from '../lib/wait-for.ts'
import { prepareSchemas, prepareTopics } from '../prepare/prepare-topics.ts'

const Variables = z.object(kafkaEnv)

export const prepareTopicsCommand = defineCommand({
  name: 'prepare topics',
  summary: 'Make the topics, and register the schemas',
  details: [
    'Waits for Kafka and the registry. Safe to repeat, and to run from several places at once.',
    'On a topic that exists it sets what this version expects and what is not so, and nothing else: a time for which',
    'something is kept never becomes shorter. One with another number of partitions is an error.',
  ].join('\n'),
  options: waitOption,
  variables: {
    KAFKA_BROKERS: 'host:port, comma-separated',
    SCHEMA_REGISTRY_URL: 'Confluent API',
    KAFKA_PARTITIONS: 'of the topics of changes and deliveries: as for the services',
    KAFKA_REPLICATION_FACTOR: 'of topics that are made',
    WEBHOOK_RETRY_DELAYS: 'as for the services: the retry topics are named after them',
  },
  async run({ values, env, json, out, note, signal }) {
    const read = readEnv(Variables, env)
    const log = quietLog({ env, note })
    const kafka = createKafka({
      brokers: read.KAFKA_BROKERS,
      clientId: 'surehook-operator',
      security: kafkaSecurity(read),
      log,
    })
    const registry = {
      registryUrl: read.SCHEMA_REGISTRY_URL,
      registrySecurity: registrySecurity(read),
    }
    const { wait } = values
    const { names: topics, aligned } = await waitFor(
      { what: 'Kafka', wait },
      () =>
        prepareTopics({
          kafka,
          delayNames: read.WEBHOOK_RETRY_DELAYS.map(({ name }) => name),
          mainPartitions: read.KAFKA_PARTITIONS,
          replicationFactor: read.KAFKA_REPLICATION_FACTOR,
          log,
          signal,
        }),
      { note, signal },
    )
    const subjects = await waitFor(
      { what: 'the schema registry', wait },
      () => prepareSchemas({ ...registry, log }),
      { note, signal },
    )
    if (json) out(JSON.stringify({ topics, aligned, subjects }, null, 2))
    else {
      for (const { topic, changed } of aligned) out(`${topic}: set ${settings(changed)}`)
      out(`${topics.length} topics, ${subjects.length} schemas: all there`)
    }
    return exitCodes.ok
  },
})

const settings = (config: Readonly<Record<string, string>>) =>
  Object.entries(config)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ')
