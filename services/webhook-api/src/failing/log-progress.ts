import { setTimeout as sleep } from 'node:timers/promises'
import type { Admin, Kafka } from '@surehook/kafka/client/surface'
import { withAdmin } from '@surehook/kafka/client/with-admin'
import type { LogReader, LogSpan } from '@surehook/kafka/readers/log-reader'

export type Reading = {
  topic: string
  groupId: string
  withinMs: number
  /**
   * Reads the topic if producers may use transactions: the end of one is no record, and a group that
   * has read everything else may not commit it.
   */
  reader?: Pick<LogReader, 'read'>
}

const pollMs = 100

/**
 * Waits up to `withinMs` until a group has read everything on a topic. If it resolves to true,
 * every message sent before this call was read.
 */
export function hasReadAll(
  kafka: Kafka,
  { topic, groupId, withinMs, reader }: Reading,
  signal: AbortSignal,
): Promise<boolean> {
  return withAdmin(kafka, async (admin) => {
    const ends = await admin.fetchTopicOffsets(topic)
    const deadline = performance.now() + withinMs
    for (;;) {
      const committed = await commitsOf(admin, { topic, groupId })
      const unread = ends
        .map(({ partition, low, high }) => ({
          partition,
          from: Math.max(Number(low), committed.get(partition) ?? 0),
          to: Number(high),
        }))
        .filter(({ from, to }) => from < to)
      if (unread.length === 0) return true
      if (performance.now() + pollMs > deadline) {
        return reader !== undefined && (await haveNoRecords(reader, unread))
      }
      await sleep(pollMs, undefined, { signal })
    }
  })
}

async function haveNoRecords(
  reader: Pick<LogReader, 'read'>,
  spans: readonly LogSpan[],
): Promise<boolean> {
  for (const span of spans) {
    const { messages, next } = await reader.read(span)
    if (messages.length > 0 || next < span.to) return false
  }
  return true
}

async function commitsOf(admin: Admin, { topic, groupId }: Omit<Reading, 'withinMs'>) {
  const [commits] = await admin.fetchOffsets({ groupId, topics: [topic] })
  return new Map(commits?.partitions.map(({ partition, offset }) => [partition, Number(offset)]))
}
