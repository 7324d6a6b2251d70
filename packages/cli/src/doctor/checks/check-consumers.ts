import {
  attemptsTopic,
  changesTopic,
  deliveriesTopic,
  pausedTopic,
  retryTopic,
} from '@surehook/contracts/topics'
import type { Admin } from '@surehook/kafka/client/surface'
import { retryTopicNames } from '@surehook/service-kit/config/retry-ladder'
import { type Finding, findingsOf } from '../finding.ts'
import type { Target } from '../target.ts'
import { withKafka } from '../with-kafka.ts'

const { ok, warn, wrong, skipped } = findingsOf('consumers')

export type GroupState = {
  /** Name of the group, which is the name of its service. */
  group: string
  /** State of the group in Kafka: `Stable`, `Empty`, `Dead`, … */
  state: string
  members: number
  /** Number of unread messages over all partitions. */
  lag: number
  /** Topics whose records were deleted before the group read them. */
  lost: readonly string[]
}

export async function checkConsumers(target: Target, lagLimit: number): Promise<Finding[]> {
  return withKafka(target, async (admin, read) => {
    const retries = retryTopicNames(read).map(retryTopic)
    // Paused deliveries wait on purpose: their circuit is open, or their subscription is inactive.
    const groups = [
      { group: 'webhook-matcher', topics: [changesTopic], waiting: [] },
      {
        group: 'webhook-dispatcher',
        topics: [deliveriesTopic],
        waiting: [...retries, pausedTopic],
      },
      { group: 'webhook-api', topics: [deliveriesTopic, attemptsTopic], waiting: [] },
    ]
    const states: GroupState[] = []
    for (const group of groups) states.push(await readGroup(admin, group))
    return states.flatMap((state) => judgeGroup(state, lagLimit))
  })
}

type Group = { group: string; topics: readonly string[]; waiting: readonly string[] }

async function readGroup(admin: Admin, { group, topics, waiting }: Group): Promise<GroupState> {
  const existing = new Set(await admin.listTopics())
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
  return {
    group,
    state: described?.state ?? 'Dead',
    members: described?.members.length ?? 0,
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

export function judgeGroup(
  { group, state, members, lag, lost }: GroupState,
  lagLimit: number,
): Finding[] {
  const says = `${group}: ${members} member${members === 1 ? '' : 's'}, ${lag} behind`
  const gaps = lost.map((topic) =>
    wrong(
      `${group}: records of ${topic} were deleted before it read them`,
      'Take a ledger of the span (`surehook ledger`) and keep the topic longer than the longest outage.',
    ),
  )
  if (members === 0) {
    return [
      ...gaps,
      wrong(
        `${says}: nobody reads`,
        `Start ${group}, or see in its log why it does not join its group.`,
      ),
    ]
  }
  if (state !== 'Stable') {
    return [
      ...gaps,
      skipped(`${says}; its members change just now (${state}): look again in a moment`),
    ]
  }
  if (lag > lagLimit) {
    return [
      ...gaps,
      warn(
        says,
        `Watch whether it shrinks; if not, add replicas of ${group} or see what its log says.`,
      ),
    ]
  }
  return [...gaps, ok(says)]
}
