import { setTimeout as sleep } from 'node:timers/promises'
import type { Admin } from '../client/surface.ts'

/** The least number of partitions that the topic must have. */
export type AwaitedTopic = { name: string; partitions: number }

/** `exists`: the topic has its partitions, and one of them has no leader. */
export type Leaderless = { name: string; exists: boolean }

const pollMs = 50
const leadersWithinMs = 15_000

/**
 * Waits until the topics have their partitions, and each partition a leader, for 15 s at most.
 * Brokers learn of new partitions one after another, and elect leaders meanwhile.
 * @returns a topic that lacks one then, or null
 */
export async function waitForLeaders(
  admin: Pick<Admin, 'fetchTopicMetadata'>,
  wanted: readonly AwaitedTopic[],
  signal?: AbortSignal,
): Promise<Leaderless | null> {
  const deadline = performance.now() + leadersWithinMs
  for (;;) {
    const leaderless = await findLeaderless(admin, wanted)
    if (leaderless === null || performance.now() > deadline) return leaderless
    await sleep(pollMs, undefined, { signal })
  }
}

async function findLeaderless(
  admin: Pick<Admin, 'fetchTopicMetadata'>,
  wanted: readonly AwaitedTopic[],
): Promise<Leaderless | null> {
  const names = wanted.map(({ name }) => name)
  let topics: Awaited<ReturnType<Admin['fetchTopicMetadata']>>['topics']
  try {
    topics = (await admin.fetchTopicMetadata({ topics: names })).topics
  } catch (err) {
    // kafkajs rejects for all topics if one has no leader yet.
    if (err instanceof Error && 'type' in err) return { name: names.join(', '), exists: false }
    throw err
  }
  let leaderless: Leaderless | null = null
  for (const { name, partitions: count } of wanted) {
    const partitions = topics.find((topic) => topic.name === name)?.partitions ?? []
    if (partitions.length < count) return { name, exists: false }
    if (partitions.some(({ leader }) => leader < 0)) leaderless = { name, exists: true }
  }
  return leaderless
}
