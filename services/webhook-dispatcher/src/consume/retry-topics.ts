import { retryTopic } from '@surehook/contracts/topics'
import { withAdmin } from '@surehook/kafka/client/with-admin'
import type { Messaging } from '@surehook/kafka/messaging'

const prefix = retryTopic('')

/**
 * Returns the retry topics to read: those of the configured delays, and those of earlier
 * configurations, whose jobs are still due.
 */
export function retryTopicsToRead(
  kafka: Messaging['kafka'],
  delayNames: readonly string[],
): Promise<string[]> {
  return withAdmin(kafka, async (admin) => {
    const existing = await admin.listTopics()
    const earlier = existing.filter((topic) => topic.startsWith(prefix))
    return [...new Set([...delayNames.map(retryTopic), ...earlier])].toSorted()
  })
}
