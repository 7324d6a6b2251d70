import { setTimeout as sleep } from 'node:timers/promises'
import type { Admin, Kafka } from '@surehook/kafka/client/surface'
import { withAdmin } from '@surehook/kafka/client/with-admin'

export type Reading = { topic: string; groupId: string; withinMs: number }

const pollMs = 100

/**
 * Waits up to `withinMs` until a group has read everything on a topic. If it resolves to true,
 * every message sent before this call was read.
 */
export function hasReadAll(
  kafka: Kafka,
  { topic, groupId, withinMs }: Reading,
  signal: AbortSignal,
): Promise<boolean> {
  return withAdmin(kafka, async (admin) => {
    const ends = await admin.fetchTopicOffsets(topic)
    const deadline = performance.now() + withinMs
    for (;;) {
      const committed = await commitsOf(admin, { topic, groupId })
      const isRead = ({ partition, low, high }: (typeof ends)[number]) =>
        low === high || (committed.get(partition) ?? -1) >= Number(high)
      if (ends.every(isRead)) return true
      if (performance.now() + pollMs > deadline) return false
      await sleep(pollMs, undefined, { signal })
    }
  })
}

async function commitsOf(admin: Admin, { topic, groupId }: Omit<Reading, 'withinMs'>) {
  const [commits] = await admin.fetchOffsets({ groupId, topics: [topic] })
  return new Map(commits?.partitions.map(({ partition, offset }) => [partition, Number(offset)]))
}
