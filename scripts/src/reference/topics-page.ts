import {
  type KafkaOperation,
  kafkaAclsOf,
  kafkaUsers,
} from '@surehook/contracts/access/kafka-access'
import { deliveriesTopic, retryTopic, type TopicSpec } from '@surehook/contracts/topics'
import { type AvroRecord, recordSection } from './avro-section.ts'
import { code, paragraph, table } from './markdown.ts'

const day = 86_400_000
const people: ReadonlySet<string> = new Set(['operator', 'lag-reader'])

/** Describes every topic: its retention, its users and its record. */
export function topicsPage(topics: readonly TopicSpec[], records: readonly AvroRecord[]): string {
  return [
    '# Topics',
    '',
    'This page lists every Kafka topic, the services that use it, and the Avro record that it holds.',
    '',
    ...paragraph(
      'Producers register the records under `FULL_TRANSITIVE`: fields are added with a default, ' +
        'and nothing is renamed or removed.',
    ),
    '## Topics and their records',
    '',
    ...paragraph(
      'Brokers stamp each record with their own clock (`LogAppendTime`). A record has at most 2 ' +
        'MiB. Brokers store `changes` uncompressed, however a producer compresses. ' +
        '`WEBHOOK_RETRY_LADDER` names the retry topics.',
    ),
    ...table(
      ['topic', 'record', 'partitions', 'kept'],
      topics.map((topic) => [
        code(topic.name),
        linkTo(recordOf(topic.name, records)),
        topic.partitions === 'main' ? code('KAFKA_PARTITIONS') : '1',
        keptOf(topic),
      ]),
    ),
    '## Writers and readers',
    '',
    'Each service has only these rights on Kafka.',
    '',
    ...table(
      ['topic', 'written by', 'read by'],
      topics.map(({ name }) => [
        code(name),
        whoMay('Write', name).join(', '),
        whoMay('Read', name).join(', '),
      ]),
    ),
    ...records.flatMap(recordSection),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n')
}

/**
 * Finds the record of a topic by its documentation, which names its topics. A family shares the
 * record of its first topic.
 */
function recordOf(topic: string, records: readonly AvroRecord[]): AvroRecord {
  const wanted = topic.endsWith('.invalid')
    ? '*.invalid'
    : topic.startsWith(deliveriesTopic)
      ? deliveriesTopic
      : topic
  const found = records.find(({ doc }) => topicIn(doc) === wanted)
  if (found === undefined) throw new Error(`no record says that it is for ${wanted}`)
  return found
}

const topicIn = (doc: string) => /Topics?: (\S+?)(?=[.]?(?:\s|$))/.exec(doc)?.[1]

const linkTo = ({ name }: AvroRecord) => `[${name}](#${name.toLowerCase()})`

function keptOf({ name, config }: TopicSpec): string {
  if (config['cleanup.policy'] === 'compact') return 'compacted'
  const retention = Number(config['retention.ms'])
  if (retention > 0) return `${retention / day} days`
  return `until ${whoMay('Delete', name).join(', ')} deletes the finished records`
}

/** Returns the services that may perform the operation on a topic. */
function whoMay(operation: KafkaOperation, topic: string): string[] {
  return kafkaUsers.filter(
    (user) =>
      !people.has(user) &&
      kafkaAclsOf(user).some(
        ({ resource, operations }) =>
          resource.type === 'topic' &&
          operations.includes(operation) &&
          (resource.name === topic ||
            (resource.name === retryTopic('') && topic.startsWith(resource.name))),
      ),
  )
}
