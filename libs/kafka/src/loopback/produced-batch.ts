import type { KafkaMessage } from '../client/surface.ts'

/** Records that this process produced, as a fetch from their base offset would return them. */
export type ProducedBatch = {
  /** Id of the Kafka cluster. */
  clusterId: string
  topic: string
  partition: number
  /** In the order of their offsets, without gaps. Never empty. */
  messages: readonly KafkaMessage[]
  bytes: number
}

type Listener = (batch: ProducedBatch) => void

/** Readers of this process by topic. All services of one process share them. */
const listeners = new Map<string, Set<Listener>>()

/** Calls back with each batch of the topics that this process produces. */
export function listenToProduced(topics: Iterable<string>, listener: Listener): Disposable {
  const known = [...topics]
  for (const topic of known) {
    const ofTopic = listeners.get(topic) ?? new Set()
    listeners.set(topic, ofTopic.add(listener))
  }
  return {
    [Symbol.dispose]() {
      for (const topic of known) {
        const ofTopic = listeners.get(topic)
        ofTopic?.delete(listener)
        if (ofTopic?.size === 0) listeners.delete(topic)
      }
    },
  }
}

/**
 * Call it with each batch that the brokers acknowledged.
 * @param batchOf returns the batch. Not called for a topic that this process does not read.
 */
export function announceProduced(topic: string, batchOf: () => ProducedBatch | null): void {
  const ofTopic = listeners.get(topic)
  if (ofTopic === undefined) return
  const batch = batchOf()
  if (batch !== null) for (const listener of ofTopic) listener(batch)
}

export const firstOffsetOf = ({ messages }: ProducedBatch): number => Number(messages[0]?.offset)
/** Offset after the last record. */
export const endOf = ({ messages }: ProducedBatch): number => Number(messages.at(-1)?.offset) + 1
