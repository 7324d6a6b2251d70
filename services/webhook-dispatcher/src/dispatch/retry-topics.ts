import { retryTopic } from '@surehook/contracts'
import type { Kafka } from 'kafkajs'

const prefix = retryTopic('')

/**
 * The retry topics to read: those of the configured delays, and those that earlier configurations
 * left behind, whose jobs are still due.
 */
export async function retryTopicsToRead(
  kafka: Kafka,
  delayNames: readonly string[],
): Promise<string[]> {
  const admin = kafka.admin()
  await admin.connect()
  try {
    const existing = await admin.listTopics()
    const earlier = existing.filter((topic) => topic.startsWith(prefix))
    return [...new Set([...delayNames.map(retryTopic), ...earlier])].toSorted()
  } finally {
    await admin.disconnect()
  }
}
