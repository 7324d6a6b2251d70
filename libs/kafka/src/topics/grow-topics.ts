import { matcherGroup } from '@surehook/contracts/groups'
import { changesTopic, type TopicSpec } from '@surehook/contracts/topics'
import type { Logger } from 'pino'
import type { Admin, Kafka } from '../client/surface.ts'
import { withAdmin } from '../client/with-admin.ts'
import { fetchGroupCommits, type GroupCommits } from '../offsets/group-commits.ts'
import { decodeJobPartitions } from '../offsets/job-partitions-note.ts'
import { decodeNote } from '../offsets/offset-tracker.ts'
import { waitForLeaders } from './wait-for-leaders.ts'

export type GrownTopic = { topic: string; from: number; to: number }

export type GrowOptions = { partitions: number; log: Pick<Logger, 'info'> }

/**
 * Adds partitions to the existing topics of class `main`: first to those of deliveries, last to
 * `changes`, and waits for their leaders. A repetition continues where the first call ended. Rejects
 * if a topic has more partitions already, or webhook-matcher does not use all that were added before.
 */
export function growTopics(
  kafka: Pick<Kafka, 'admin'>,
  specs: readonly TopicSpec[],
  { partitions, log }: GrowOptions,
): Promise<GrownTopic[]> {
  return withAdmin(kafka, async (admin) => {
    const counts = await countsOf(admin, specs)
    refuseFewer(counts, partitions)
    const grown = counts
      .filter(({ from }) => from < partitions)
      .map(({ topic, from }) => ({ topic, from, to: partitions }))
    if (grown.length > 0) await refuseWhileGrowing(admin, counts, partitions)
    const changes = grown.filter(({ topic }) => topic === changesTopic)
    const deliveries = grown.filter(({ topic }) => topic !== changesTopic)
    for (const together of [deliveries, changes]) {
      if (together.length === 0) continue
      const topicPartitions = together.map(({ topic, to }) => ({ topic, count: to }))
      await admin.createPartitions({ topicPartitions })
      const wanted = together.map(({ topic, to }) => ({ name: topic, partitions: to }))
      const leaderless = await waitForLeaders(admin, wanted)
      if (leaderless !== null)
        throw new Error(
          `Not all partitions of ${leaderless.name} have a leader: run it again when they have one`,
        )
      log.info({ topics: together }, 'topics.grown')
    }
    return grown
  })
}

async function countsOf(
  admin: Admin,
  specs: readonly TopicSpec[],
): Promise<{ topic: string; from: number }[]> {
  const existing = new Set(await admin.listTopics())
  const main = specs.filter(({ name, partitions }) => partitions === 'main' && existing.has(name))
  if (main.length === 0) return []
  const { topics } = await admin.fetchTopicMetadata({ topics: main.map(({ name }) => name) })
  return topics.map(({ name, partitions }) => ({ topic: name, from: partitions.length }))
}

/** Records would lose their order if more partitions were added before the last ones are in use. */
async function refuseWhileGrowing(
  admin: Pick<Admin, 'fetchOffsets'>,
  counts: readonly { topic: string; from: number }[],
  wanted: number,
): Promise<void> {
  const changes = counts.find(({ topic }) => topic === changesTopic)
  if (changes === undefined) return
  const largest = Math.max(...counts.map(({ from }) => from))
  if (changes.from < largest && largest < wanted)
    throw new Error(`Not all topics have ${largest} partitions yet: ask for ${largest} first`)
  const unused = unusedPartitions(
    changes.from,
    await fetchGroupCommits(admin, { groupId: matcherGroup, topics: [changesTopic] }),
  )
  if (unused.length === 0) return
  throw new Error(
    `webhook-matcher does not use all ${changes.from} partitions of ${changesTopic} yet (not ` +
      `${unused.join(', ')}), so records could lose their order: ask again when it does`,
  )
}

/**
 * Returns the partitions of `changes` that webhook-matcher has not opened, or whose jobs it divides
 * by a lower number. A group without any commit is new and uses all of them.
 */
export function unusedPartitions(
  partitions: number,
  commits: GroupCommits,
  topic: string = changesTopic,
): number[] {
  if (!commits.any(topic)) return []
  return [...Array(partitions).keys()].filter((partition) => {
    const { offset, metadata } = commits(topic, partition)
    return offset < 0 || (decodeJobPartitions(decodeNote(metadata)) ?? partitions) < partitions
  })
}

/** Kafka cannot remove partitions. */
function refuseFewer(counts: readonly { topic: string; from: number }[], wanted: number): void {
  const largest = counts.find(({ from }) => from > wanted)
  if (largest === undefined) return
  throw new Error(
    `Topic ${largest.topic} has ${largest.from} partitions, and ${wanted} are asked for: Kafka cannot ` +
      `remove partitions. Set KAFKA_PARTITIONS to ${largest.from} or more`,
  )
}
