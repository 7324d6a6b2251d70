import { dispatcherGroup, historyGroup, matcherGroup } from '@surehook/contracts/groups'
import {
  attemptsTopic,
  changesTopic,
  deliveriesTopic,
  pausedTopic,
  retryTopic,
} from '@surehook/contracts/topics'
import type { Admin } from '@surehook/kafka/client/surface'
import { groupCommitsOf } from '@surehook/kafka/offsets/group-commits'
import { unusedPartitions } from '@surehook/kafka/topics/grow-topics'

export type GroupState = {
  /** Name of the group, which is the name of its service. */
  group: string
  /** State of the group in Kafka: `Stable`, `Empty`, `Dead`, … */
  state: string
  members: number
  /** Number of partitions of its first topic: as many members have work. */
  partitions: number
  /** Partitions of `changes` that were added and that webhook-matcher does not use yet. */
  unused: readonly number[]
  /** Number of unread messages over all partitions. */
  lag: number
  /** Topics whose records were deleted before the group read them. */
  lost: readonly string[]
}

type Group = { group: string; topics: readonly string[]; waiting: readonly string[] }

// Paused deliveries wait on purpose: their circuit is open, or their subscription is inactive.
const groupsOf = (retryTopics: readonly string[]): readonly Group[] => [
  { group: matcherGroup, topics: [changesTopic], waiting: [] },
  {
    group: dispatcherGroup,
    topics: [deliveriesTopic],
    waiting: [...retryTopics, pausedTopic],
  },
  { group: historyGroup, topics: [deliveriesTopic, attemptsTopic], waiting: [] },
]

/** Reads how far the main group of each service is. Describe rights on them suffice. */
export async function readGroups(
  admin: Admin,
  delayNames: readonly string[],
): Promise<GroupState[]> {
  const existing = new Set(await admin.listTopics())
  const states: GroupState[] = []
  for (const group of groupsOf(delayNames.map(retryTopic))) {
    states.push(await readGroup(admin, group, existing))
  }
  return states
}

async function readGroup(
  admin: Admin,
  { group, topics, waiting }: Group,
  existing: ReadonlySet<string>,
): Promise<GroupState> {
  const read = [...topics, ...waiting].filter((topic) => existing.has(topic))
  const { groups } = await admin.describeGroups([group])
  const [described] = groups
  const commits = await admin.fetchOffsets({ groupId: group, topics: read })
  let lag = 0
  const lost: string[] = []
  for (const { topic, partitions } of commits) {
    const ends = await admin.fetchTopicOffsets(topic)
    const behind = partitions.map(({ partition, offset }) => {
      const end = ends.find((one) => one.partition === partition)
      return behindOf(Number(offset), { low: Number(end?.low ?? 0), high: Number(end?.high ?? 0) })
    })
    if (topics.includes(topic)) lag += behind.reduce((sum, one) => sum + one.lag, 0)
    if (behind.some(({ isLost }) => isLost)) lost.push(topic)
  }
  const partitions = commits.find(({ topic }) => topic === topics[0])?.partitions.length ?? 0
  const growing = topics.includes(changesTopic) ? partitions : 0
  return {
    group,
    state: described?.state ?? 'Dead',
    members: described?.members.length ?? 0,
    partitions,
    unused: unusedPartitions(growing, groupCommitsOf(commits)),
    lag,
    lost,
  }
}

/** A group without a committed offset (-1) starts at the beginning. */
export function behindOf(
  committed: number,
  { low, high }: { low: number; high: number },
): { lag: number; isLost: boolean } {
  const from = committed < 0 ? low : Math.max(committed, low)
  return { lag: Math.max(0, high - from), isLost: committed >= 0 && committed < low }
}
