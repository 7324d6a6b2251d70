import { dispatcherGroup, matcherGroup } from '@surehook/contracts/groups'
import {
  attemptsTopic,
  changesTopic,
  deadLetterTopic,
  deliveriesTopic,
  pausedTopic,
  retryTopic,
  subscriptionsTopic,
} from '@surehook/contracts/topics'
import { type Admin, ConfigResourceTypes, type Kafka } from '@surehook/kafka/client/surface'
import { decodeRanges, type Range } from '@surehook/kafka/offsets/offset-tracker'
import type { TopicSpan } from '@surehook/kafka/readers/span-reader'
import { boundedBy } from '@surehook/service-kit/bounded'
import { invalid } from '@surehook/service-kit/errors'

export type Span = { from: number; to: number }

/** The progress of a group in one partition. */
export type Progress = {
  /** Every offset below is finished; -1 if the group has never committed. */
  committed: number
  /** Finished ranges above `committed`. */
  finished: readonly Range[]
}

export type LogMarks = {
  takenAt: number
  /** By partition of `changes`. */
  matched: ReadonlyMap<number, Progress>
  /** By partition of the job topics: `topic/partition`. */
  dispatched: ReadonlyMap<string, Progress>
  changes: TopicSpan[]
  /** From the span's end to the end of the log, and then the time shortly before its beginning. */
  changesAround: TopicSpan[][]
  deliveries: TopicSpan[]
  /**
   * The topics that show where jobs went. Retry topics and `….paused` start at the dispatcher's
   * commits.
   */
  places: TopicSpan[]
  subscriptions: TopicSpan[]
}

/** How much the clocks of writers may differ. */
const skewMs = 5 * 60_000
const askWithinMs = 30_000

/** Returns the topics that may hold unfinished jobs. */
export async function jobTopicsOf(admin: Admin): Promise<string[]> {
  const isRetry = (topic: string) => topic.startsWith(retryTopic(''))
  return [deliveriesTopic, ...(await admin.listTopics()).filter(isRetry), pausedTopic]
}

/**
 * Reads the commits of the groups first and the ends of the logs afterwards. A job that was
 * finished by a commit has its next record below an end that is read later. Therefore no job that
 * moves in between looks lost.
 */
export async function readMarks(
  admin: Admin,
  span: Span,
  jobTopics: readonly string[],
): Promise<LogMarks> {
  const takenAt = Date.now()
  const commits = async (groupId: string, topics: readonly string[]) =>
    progressOf(await admin.fetchOffsets({ groupId, topics: [...topics] }))
  const matchedNow = await commits(matcherGroup, [changesTopic])
  const dispatched = await commits(dispatcherGroup, jobTopics)

  const skewed = span.from - skewMs
  const since = (topic: string) => spansOf(admin, topic, { from: skewed })
  const deliveries = await since(deliveriesTopic)
  const waiting = jobTopics.filter((topic) => topic !== deliveriesTopic)
  const open = (await Promise.all(waiting.map(since))).flat().map((of) => {
    const committed = dispatched.get(`${of.topic}/${of.partition}`)?.committed ?? -1
    return { ...of, from: Math.max(of.from, committed) }
  })
  const published = (await Promise.all([attemptsTopic, deadLetterTopic].map(since))).flat()
  // Ends of `changes` come last: a change is written before its jobs.
  const changes = await spansOf(admin, changesTopic, span)
  const after = await spansOf(admin, changesTopic, { from: span.to })
  const before = await spansOf(admin, changesTopic, { from: skewed, to: span.from })
  const matched = new Map(
    [...matchedNow].map(([key, progress]) => [Number(key.split('/')[1]), progress]),
  )
  const subscriptions = await spansOf(admin, subscriptionsTopic, {})
  const places = [...open, ...published]
  const changesAround = [after, before]
  return { takenAt, matched, dispatched, changes, changesAround, deliveries, places, subscriptions }
}

type Commits = Awaited<ReturnType<Admin['fetchOffsets']>>

function progressOf(commits: Commits): Map<string, Progress> {
  const all = new Map<string, Progress>()
  for (const { topic, partitions } of commits) {
    for (const { partition, offset, metadata } of partitions) {
      const committed = Number(offset)
      all.set(`${topic}/${partition}`, { committed, finished: decodeRanges(committed, metadata) })
    }
  }
  return all
}

/**
 * Returns offsets by the time at which records were written. The default is from the beginning to
 * the end.
 */
async function spansOf(
  admin: Admin,
  topic: string,
  { from, to }: Partial<Span>,
): Promise<TopicSpan[]> {
  const begins = from === undefined ? [] : await admin.fetchTopicOffsetsByTimestamp(topic, from)
  const lasts = to === undefined ? [] : await admin.fetchTopicOffsetsByTimestamp(topic, to)
  const at = (offsets: typeof begins, partition: number) =>
    offsets.find((entry) => entry.partition === partition)?.offset
  return (await admin.fetchTopicOffsets(topic)).map(({ partition, low, high }) => ({
    topic,
    partition,
    from: Math.max(Number(low), Number(at(begins, partition) ?? low)),
    to: Math.min(Number(high), Number(at(lasts, partition) ?? high)),
  }))
}

/** Throws if records that the ledger needs may have expired. */
export async function refuseTrimmed(
  admin: Admin,
  { from, historyMs, marginMs }: { from: number; historyMs: number; marginMs: number },
): Promise<void> {
  const type = ConfigResourceTypes.TOPIC
  const configNames = ['retention.ms']
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type, name: changesTopic, configNames }],
  })
  const entries = resources[0]?.configEntries ?? []
  const retention = Number(
    entries.find((entry) => entry.configName === 'retention.ms')?.configValue,
  )
  const keptMs = Math.min(retention >= 0 ? retention : Number.POSITIVE_INFINITY, historyMs)
  const oldest = Date.now() - keptMs + marginMs
  if (from >= oldest) return
  const message = `must not be before ${new Date(oldest).toISOString()}: the topics are trimmed`
  throw invalid([{ field: 'from', message, rule: 'out_of_range' }])
}

export async function withAdmin<T>(kafka: Kafka, ask: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = kafka.admin()
  try {
    await boundedBy(askWithinMs, admin.connect(), 'Kafka is away')
    return await boundedBy(askWithinMs, ask(admin), 'Kafka did not return the offsets')
  } finally {
    await admin.disconnect()
  }
}
