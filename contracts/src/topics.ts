/** One row of the topic table. `partitions` is a class: the operator configures the number. */
export type TopicSpec = {
  name: string
  /**
   * `main`: KAFKA_PARTITIONS, the same for `changes` and all delivery topics. `one`: a single
   * partition, so that states have one order.
   */
  partitions: 'main' | 'one'
  config: Readonly<Record<string, string>>
}

const hour = 3_600_000
const day = 24 * hour
const twoMiB = String(2 * 1024 * 1024)
/**
 * The broker stamps records with its own clock. With the producer's clock it would refuse records
 * from a clock that is an hour ahead.
 */
const common = { 'max.message.bytes': twoMiB, 'message.timestamp.type': 'LogAppendTime' }
const kept = (ms: number) => ({ 'retention.ms': String(ms), ...common })
const compacted = { 'cleanup.policy': 'compact', ...common }
/**
 * The broker decompresses a publisher's batches, because kafkajs cannot read any compression but
 * gzip.
 */
const decompressed = { 'compression.type': 'uncompressed' }
/**
 * Every start reads these states, so the broker compacts them after an hour, and not only when half
 * of them are replaced. Not earlier: a relay that repeats states writes an old one behind a newer
 * one, which must stay until it is repeated too. Tombstones stay for as long as someone may ask about
 * a change from before them.
 */
const compactedHourly = (tombstonesMs: number) => ({
  ...compacted,
  'min.compaction.lag.ms': String(hour),
  'max.compaction.lag.ms': String(hour),
  'delete.retention.ms': String(tombstonesMs),
})

/** Default retention of `changes` in milliseconds. */
export const changesKeptMs = 7 * day

export const changesTopic = 'changes'
export const environmentsTopic = 'platform.environments'
export const environmentPurgesTopic = 'platform.environment-purges'
export const managementTokensTopic = 'platform.management-tokens'
export const tablesTopic = 'platform.tables'
export const sourceColumnsTopic = 'platform.source-columns'
export const subscriptionsTopic = 'webhook.subscriptions'
export const deliveriesTopic = 'webhook.deliveries'
export const pausedTopic = 'webhook.deliveries.paused'
export const deadLetterTopic = 'webhook.deliveries.dead-letter'
export const attemptsTopic = 'webhook.attempts'
export const alertsTopic = 'webhook.alerts'
export const revocationsTopic = 'auth.revocations'

/** Topic on which jobs wait for `delay`, a duration as configured (`5s`). */
export const retryTopic = (delay: string): string => `${deliveriesTopic}.retry.${delay}`

/** Topic for messages of `topic` that cannot be decoded. All delivery topics share one. */
export const invalidTopic = (topic: string): string =>
  `${topic.startsWith(`${deliveriesTopic}.`) ? deliveriesTopic : topic}.invalid`

/**
 * Every topic of the platform.
 * @param retryDelays configured delays in order, as durations (`['1s', '5s', '30s', '5m']`)
 * @param changesRetentionMs retention of `changes` in milliseconds
 */
export function topicTable(
  retryDelays: readonly string[],
  changesRetentionMs = changesKeptMs,
): readonly TopicSpec[] {
  // A job may wait for as long as its subscription is inactive, so these topics never expire by
  // age. webhook-api deletes old records once every reader has processed them.
  const trimmed = kept(-1)
  const delivery = [
    deliveriesTopic,
    ...new Set(retryDelays.map(retryTopic)),
    pausedTopic,
    deadLetterTopic,
  ]
  const decoded = [
    changesTopic,
    environmentsTopic,
    managementTokensTopic,
    tablesTopic,
    subscriptionsTopic,
    deliveriesTopic,
    attemptsTopic,
    alertsTopic,
  ]
  return [
    {
      name: changesTopic,
      partitions: 'main',
      config: { ...kept(changesRetentionMs), ...decompressed },
    },
    { name: environmentsTopic, partitions: 'one', config: compacted },
    { name: environmentPurgesTopic, partitions: 'one', config: compacted },
    { name: managementTokensTopic, partitions: 'one', config: compacted },
    { name: tablesTopic, partitions: 'one', config: compacted },
    { name: sourceColumnsTopic, partitions: 'one', config: compacted },
    { name: subscriptionsTopic, partitions: 'one', config: compactedHourly(changesRetentionMs) },
    ...delivery.map((name) => ({ name, partitions: 'main' as const, config: trimmed })),
    { name: attemptsTopic, partitions: 'main', config: trimmed },
    { name: alertsTopic, partitions: 'one', config: kept(7 * day) },
    // An access token lives for at most one day. A revocation has no effect after that.
    { name: revocationsTopic, partitions: 'one', config: kept(2 * day) },
    ...decoded.map((name) => ({
      name: invalidTopic(name),
      partitions: 'one' as const,
      config: kept(30 * day),
    })),
  ]
}

const cleanup = new Map(
  topicTable([]).map(({ name, config }): [string, string | undefined] => [
    name,
    config['cleanup.policy'],
  ]),
)

/** True if Kafka may remove single records of the topic, its last ones too. */
export const isCompacted = (topic: string): boolean =>
  // Nothing is known of other topics.
  !cleanup.has(topic) || cleanup.get(topic) === 'compact'
