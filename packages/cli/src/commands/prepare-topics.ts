import { registrySecurity } from '@surehook/kafka/config/kafka-connection'
import { retryTopicNames } from '@surehook/kafka/config/retry-ladder'
import { defineCommand, exitCodes } from '../cli/command.ts'
import { kafkaClient, readKafkaVariables } from '../lib/connections.ts'
import { quietLog } from '../lib/quiet-log.ts'
import { waitFor, waitOption } from '../lib/wait-for.ts'
import { prepareSchemas, prepareTopics } from '../prepare/prepare-topics.ts'

export const prepareTopicsCommand = defineCommand({
  name: 'prepare topics',
  summary: 'Create the topics and register the schemas',
  details: [
    'The command waits for Kafka and the registry. You may repeat it, or run it several times at once.',
    'On an existing topic it sets only the settings that differ from what this version expects. It never shortens a',
    'retention time. If KAFKA_PARTITIONS has grown, it adds partitions, as `admin partitions` does. A smaller number is',
    'an error.',
  ].join('\n'),
  options: waitOption,
  variables: {
    KAFKA_BROKERS: 'brokers as host:port, separated by commas',
    SCHEMA_REGISTRY_URL: 'a registry with the API of Confluent',
    KAFKA_PARTITIONS: 'partitions of the topics of changes and deliveries, as for the services',
    KAFKA_REPLICATION_FACTOR: 'replicas of new topics',
    WEBHOOK_RETRY_LADDER: 'the delays that name the retry topics, as for the services',
    WEBHOOK_RETRY_DELAYS: 'the default schedule, as for the services',
  },
  async run({ values, env, json, out, note, signal }) {
    const read = readKafkaVariables(env)
    const log = quietLog({ env, note })
    const kafka = kafkaClient(read, log)
    const registry = {
      registryUrl: read.SCHEMA_REGISTRY_URL,
      registrySecurity: registrySecurity(read),
    }
    const { wait } = values
    const {
      names: topics,
      aligned,
      grown,
    } = await waitFor(
      { what: 'Kafka', wait },
      () =>
        prepareTopics({
          kafka,
          delayNames: retryTopicNames(read),
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
    if (json) out(JSON.stringify({ topics, aligned, grown, subjects }, null, 2))
    else {
      for (const { topic, from, to } of grown) out(`${topic}: ${from} to ${to} partitions`)
      for (const { topic, changed } of aligned) out(`${topic}: set ${settings(changed)}`)
      out(`${topics.length} topics, ${subjects.length} schemas: all present`)
    }
    return exitCodes.ok
  },
})

const settings = (config: Readonly<Record<string, string>>) =>
  Object.entries(config)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ')
