import type { StateWriter } from '@surehook/change-capture/emit/state-writer'
import type { LogPosition } from '@surehook/contracts/events/log-position'
import { changesTopic } from '@surehook/contracts/topics'
import type { Kafka } from '@surehook/kafka/client/surface'
import { LogEnds } from '@surehook/kafka/offsets/log-ends'
import { readTopicId } from '@surehook/kafka/topics/topic-id'
import { boundedBy } from '@surehook/service-kit/bounded'
import { unavailable } from '@surehook/service-kit/errors'
import { retryUntilReady } from '@surehook/service-kit/lifecycle'
import type { Logger } from '@surehook/service-kit/telemetry/log'

/** The end of `changes` at the time of its reading. */
export type ChangesEnd = {
  /** Throws SERVICE_UNAVAILABLE if the reading is old. */
  current(): LogPosition
}

export type ReadChangesEnd = () => Promise<ChangesEnd>

const readWithinMs = 5_000
const away = 'Kafka shows no end of the changes'
/**
 * Less than the 10 s that a deletion takes: no environment is made and deleted between the reading
 * and its use.
 */
const currentForMs = 5_000

export type ChangesEndDeps = {
  kafka: Kafka
  writer: Pick<StateWriter, 'relayed'>
  log: Logger
}

/**
 * Reads where the records of a new environment will begin. Those of an earlier environment of its
 * name are before: the other services relayed theirs before they published their purge.
 */
export function openChangesEnd({ kafka, writer, log }: ChangesEndDeps): {
  read: ReadChangesEnd
} & AsyncDisposable {
  const ends = new LogEnds(kafka, [changesTopic], log)
  async function readEnd(): Promise<ChangesEnd> {
    const readAt = performance.now()
    await writer.relayed()
    const [topicId, partitions] = await Promise.all([readTopicId(kafka, changesTopic), ends.read()])
    const sorted = partitions.toSorted((a, b) => a.partition - b.partition)
    const offsets = sorted.map(({ end }) => end)
    return endOf({ topicId: topicId.toString('hex'), offsets }, readAt)
  }
  return {
    async read() {
      const over = new AbortController()
      const { signal } = over
      // After an outage the first requests meet the connections of before.
      const reading = retryUntilReady('the end of the changes', readEnd, { log, signal })
      try {
        return await boundedBy(readWithinMs, reading, away)
      } finally {
        over.abort()
      }
    },
    [Symbol.asyncDispose]: () => ends[Symbol.asyncDispose](),
  }
}

const endOf = (position: LogPosition, readAt: number): ChangesEnd => ({
  current() {
    if (performance.now() - readAt < currentForMs) return position
    throw unavailable('The environment was not made in time')
  },
})
