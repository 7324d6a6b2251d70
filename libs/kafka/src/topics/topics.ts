import type { TopicSpec } from '@surehook/contracts/topics'
import type { Logger } from 'pino'
import type { Admin, Kafka, NewTopic } from '../client/surface.ts'
import { withAdmin } from '../client/with-admin.ts'
import { waitForLeaders } from './wait-for-leaders.ts'

export type EnsureTopicsOptions = {
  /** Least number of partitions of topics of class `main`. New topics get this number. */
  mainPartitions: number
  replicationFactor: number
  log: Logger
  signal: AbortSignal
}

/**
 * Creates missing topics and waits until each partition has a leader, but not for ever. It leaves
 * existing topics unchanged. It rejects if one has fewer partitions, and if Kafka is unreachable. A
 * topic may have more: partitions were added. Several services may call it at once.
 */
export function ensureTopics(
  kafka: Kafka,
  specs: readonly TopicSpec[],
  options: EnsureTopicsOptions,
): Promise<void> {
  return withAdmin(kafka, async (admin) => {
    const existing = new Set(await admin.listTopics())
    const missing = specs.filter(({ name }) => !existing.has(name))
    if (missing.length > 0) await createTopics(admin, missing, options)
    await awaitLeaders(admin, specs, options)
  })
}

/**
 * For services that may not create topics: waits until every partition of the visible topics has a
 * leader, but not for ever. Rejects with the names of missing topics.
 */
export function awaitTopics(
  kafka: Kafka,
  specs: readonly TopicSpec[],
  options: EnsureTopicsOptions,
): Promise<void> {
  return withAdmin(kafka, async (admin) => {
    const found = await Promise.all(
      specs.map(async (spec) => [spec, await look(admin, spec)] as const),
    )
    const those = (state: TopicVisibility) =>
      found.flatMap(([spec, is]) => (is === state ? [spec] : []))
    const missing = those('missing').map(({ name }) => name)
    if (missing.length > 0) {
      throw new Error(
        `Topics are missing: ${missing.join(', ')}; \`surehook prepare topics\` makes them`,
      )
    }
    if (those('there').length === 0) throw new Error('No topic of the platform may be seen')
    await awaitLeaders(admin, those('there'), options)
  })
}

type TopicVisibility = 'there' | 'missing' | 'hidden'

async function look(admin: Admin, { name }: TopicSpec): Promise<TopicVisibility> {
  try {
    await admin.fetchTopicMetadata({ topics: [name] })
    return 'there'
  } catch (err) {
    const type = err instanceof Error && 'type' in err ? err.type : undefined
    if (type === 'UNKNOWN_TOPIC_OR_PARTITION') return 'missing'
    if (type === 'TOPIC_AUTHORIZATION_FAILED') return 'hidden'
    // The topic exists, and its leader is being waited for.
    if (type === 'LEADER_NOT_AVAILABLE') return 'there'
    throw err
  }
}

async function createTopics(
  admin: Admin,
  specs: readonly TopicSpec[],
  options: EnsureTopicsOptions,
): Promise<void> {
  try {
    // kafkajs' own wait for leaders sometimes fails for a topic that was created.
    const topics = specs.map((spec) => topicConfig(spec, options))
    await admin.createTopics({ topics, waitForLeaders: false })
    options.log.info({ topics: specs.map(({ name }) => name) }, 'topics.created')
  } catch (err) {
    if (madeMeanwhile(err)) return
    if (!isRefused(err)) throw err
    const names = specs.map(({ name }) => name).join(', ')
    throw new Error(
      `Kafka does not allow this user to create the topics ${names}. Run \`surehook prepare ` +
        'kafka-access`, create the topics with `surehook prepare topics` as the user "operator", ' +
        'and set KAFKA_CREATE_TOPICS=false for the services',
      { cause: err },
    )
  }
}

function isRefused(err: unknown): boolean {
  if (err instanceof Error && 'errors' in err && Array.isArray(err.errors)) {
    return err.errors.some(isRefused)
  }
  return err instanceof Error && 'type' in err && String(err.type).endsWith('_AUTHORIZATION_FAILED')
}

function topicConfig(spec: TopicSpec, options: EnsureTopicsOptions): NewTopic {
  const { replicationFactor } = options
  // With three replicas an acknowledged record must survive the loss of one.
  const config =
    replicationFactor >= 3 ? { 'min.insync.replicas': '2', ...spec.config } : spec.config
  return {
    topic: spec.name,
    numPartitions: partitionsOf(spec, options),
    replicationFactor,
    configEntries: Object.entries(config).map(([name, value]) => ({ name, value })),
  }
}

const partitionsOf = (spec: TopicSpec, { mainPartitions }: EnsureTopicsOptions): number =>
  spec.partitions === 'main' ? mainPartitions : 1

/**
 * True if another service created the topics in the meantime, or kafkajs checked them too early.
 */
function madeMeanwhile(err: unknown): boolean {
  if (err instanceof AggregateError || (err instanceof Error && 'errors' in err)) {
    return Array.isArray(err.errors) && err.errors.length > 0 && err.errors.every(madeMeanwhile)
  }
  if (!(err instanceof Error) || !('type' in err)) return false
  return err.type === 'TOPIC_ALREADY_EXISTS' || err.type === 'UNKNOWN_TOPIC_OR_PARTITION'
}

/** Without some leaders it goes on: the partitions that have one can be used. */
async function awaitLeaders(
  admin: Admin,
  specs: readonly TopicSpec[],
  options: EnsureTopicsOptions,
): Promise<void> {
  const { log, signal } = options
  const wanted = specs.map(({ name }) => ({ name, partitions: 1 }))
  const leaderless = await waitForLeaders(admin, wanted, signal)
  if (leaderless?.exists === false) throw new Error(`No leader yet: ${leaderless.name}`)
  if (leaderless !== null) log.warn({ topic: leaderless.name }, 'topics.leaderless')
  await refuseFewer(admin, specs, options)
}

async function refuseFewer(
  admin: Admin,
  specs: readonly TopicSpec[],
  options: EnsureTopicsOptions,
): Promise<void> {
  const { topics } = await admin.fetchTopicMetadata({ topics: specs.map(({ name }) => name) })
  for (const spec of specs) {
    const { length } = topics.find(({ name }) => name === spec.name)?.partitions ?? []
    const expected = partitionsOf(spec, options)
    if (length < expected)
      throw new Error(
        `Topic ${spec.name} has ${length} partitions and KAFKA_PARTITIONS asks for ` +
          `${expected}. \`surehook admin partitions ${expected}\` adds them.`,
      )
  }
}
