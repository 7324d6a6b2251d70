import { endOfEmpty } from '../wire/fetch-response.ts'

/** The leader has reported that the partition has nothing to read between these offsets. */
export type EmptyFetch = { topic: string; partition: number; from: number; to: number }

type Fetched = {
  topic: string
  partition: number
  fetchedOffset: string
  rawMessages: readonly object[]
}

const watchers = new Map<string, (empty: EmptyFetch) => void>()

/**
 * Reports fetches without records, which kafkajs hides, to callers that wait for the end of a log.
 */
export function watchEmptyFetches(groupId: string, watch: (empty: EmptyFetch) => void): Disposable {
  watchers.set(groupId, watch)
  return { [Symbol.dispose]: () => void watchers.delete(groupId) }
}

/** Called with the results of each fetch of a group. */
export function reportEmptyFetches(groupId: string, fetched: readonly Fetched[]): void {
  const watch = watchers.get(groupId)
  if (watch === undefined) return
  for (const { topic, partition, fetchedOffset, rawMessages } of fetched) {
    const to = endOfEmpty(rawMessages)
    if (to !== undefined) watch({ topic, partition, from: Number(fetchedOffset), to })
  }
}
