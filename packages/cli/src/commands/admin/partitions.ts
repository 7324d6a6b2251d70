import { topicTable } from '@surehook/contracts/topics'
import { retryTopicNames } from '@surehook/kafka/config/retry-ladder'
import { growTopics } from '@surehook/kafka/topics/grow-topics'
import { defineCommand, exitCodes, UsageError } from '../../cli/command.ts'
import { kafkaClient, readKafkaVariables } from '../../lib/connections.ts'
import { quietLog } from '../../lib/quiet-log.ts'
import { waitFor, waitOption } from '../../lib/wait-for.ts'

const mostPartitions = 10_000

export const partitionsCommand = defineCommand({
  name: 'admin partitions',
  summary: 'Add partitions to the topics of changes and deliveries',
  details: [
    'The services go on meanwhile. They reroute waiting deliveries to their new partitions. A smaller number is an',
    'error. If the command is interrupted, run it again. See docs/operate/more-partitions.md.',
  ].join('\n'),
  positionals: ['number'],
  options: waitOption,
  variables: {
    KAFKA_BROKERS: 'brokers as host:port, separated by commas',
    'KAFKA_TLS, KAFKA_CA_FILE, KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD':
      'the user "operator" of Kafka',
    WEBHOOK_RETRY_LADDER: 'the delays that name the retry topics, as for the services',
    WEBHOOK_RETRY_DELAYS: 'the default schedule, as for the services',
  },
  async run({ words, values, env, json, out, note, signal }) {
    const partitions = numberOf(words['number'] ?? '')
    const read = readKafkaVariables(env)
    const log = quietLog({ env, note })
    const kafka = kafkaClient(read, log)
    const topics = topicTable(retryTopicNames(read))
    const add = () => growTopics(kafka, topics, { partitions, log })
    const grown = await waitFor({ what: 'Kafka', wait: values.wait }, add, { note, signal })
    if (json) out(JSON.stringify({ partitions, grown }, null, 2))
    else {
      for (const { topic, from, to } of grown) out(`${topic}: ${from} to ${to} partitions`)
      out(`all topics of changes and deliveries have ${partitions} partitions`)
    }
    return exitCodes.ok
  },
})

function numberOf(text: string): number {
  const partitions = Number(text)
  if (Number.isInteger(partitions) && partitions >= 1 && partitions <= mostPartitions)
    return partitions
  throw new UsageError(`number: must be a whole number from 1 to ${mostPartitions}`)
}
