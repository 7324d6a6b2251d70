import { byteSize } from '@surehook/contracts/byte-size'
import { type Finding, findingsOf } from '@surehook/diagnosis/finding'
import { reachedText } from '@surehook/diagnosis/kafka/check-reach'
import { type Admin, ConfigResourceTypes } from '@surehook/kafka/client/surface'
import { type Durability, durabilityOf, safeCopies } from '../../durability.ts'
import type { Target } from '../../target.ts'
import { withKafka } from '../../with-kafka.ts'

const { ok, warn, wrong, skipped } = findingsOf('kafka')

export type BrokerSettings = { broker: number; settings: Readonly<Record<string, string>> }

const minutesPerDay = 24 * 60
const leastRetentionMinutes = 90 * minutesPerDay
/** Largest record in bytes on the platform's topics. */
const largestRecord = 2 * 1024 * 1024
const names = ['offsets.retention.minutes', 'auto.create.topics.enable', 'message.max.bytes']

export async function checkKafka(target: Target): Promise<Finding[]> {
  return withKafka(target, async (admin) => {
    const { brokers } = await admin.describeCluster()
    const reached = judgeCluster(brokers.length, durabilityOf(target))
    const settings = await Promise.all(brokers.map(({ nodeId }) => settingsOf(admin, nodeId)))
    return [...reached, ...settings.flatMap(judgeBroker)]
  })
}

async function settingsOf(admin: Admin, broker: number): Promise<BrokerSettings> {
  const type = ConfigResourceTypes.BROKER
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type, name: String(broker), configNames: names }],
  })
  const entries = resources[0]?.configEntries ?? []
  return {
    broker,
    settings: Object.fromEntries(entries.map((entry) => [entry.configName, entry.configValue])),
  }
}

/**
 * A broker acknowledges before it flushes, so only other brokers protect acknowledged records from
 * a power cut.
 */
export function judgeCluster(brokers: number, durability: Durability): Finding[] {
  const reached = reachedText(brokers)
  if (brokers >= safeCopies) return [ok(reached)]
  const risk = 'what Kafka acknowledged survives a killed process, but not a power cut'
  if (durability === 'local') {
    return [ok(`${reached}: ${risk}; production needs ${safeCopies} brokers`)]
  }
  const judge = durability === 'waived' ? warn : wrong
  return [
    ok(reached),
    judge(
      `${brokers} of ${safeCopies} brokers: ${risk}`,
      `Run ${safeCopies} brokers in different zones, KAFKA_REPLICATION_FACTOR=3 and min.insync.replicas=2.`,
    ),
  ]
}

export function judgeBroker({ broker, settings }: BrokerSettings): Finding[] {
  const { 'offsets.retention.minutes': retention, 'message.max.bytes': largest } = settings
  if (retention === undefined) {
    return [
      skipped(
        `broker ${broker} does not report its settings: offsets.retention.minutes must be 90 days or more`,
      ),
    ]
  }
  const days = Math.floor(Number(retention) / minutesPerDay)
  return [
    Number(retention) < leastRetentionMinutes
      ? wrong(
          `broker ${broker}: commits of idle groups are kept for ${days} days`,
          'Set offsets.retention.minutes=5256000: a group whose commits are forgotten posts ' +
            'everything again.',
        )
      : ok(`broker ${broker}: commits of idle groups are kept for ${days} days`),
    ...(settings['auto.create.topics.enable'] === 'true'
      ? [
          warn(
            `broker ${broker}: auto.create.topics.enable is true`,
            'Set it to false: a topic that is made by accident has the wrong partitions.',
          ),
        ]
      : []),
    ...(Number(largest) < largestRecord
      ? [
          warn(
            `broker ${broker}: message.max.bytes is ${byteSize(Number(largest))}`,
            'Set message.max.bytes=2097152, or see that every topic keeps its own max.message.bytes.',
          ),
        ]
      : []),
  ]
}
