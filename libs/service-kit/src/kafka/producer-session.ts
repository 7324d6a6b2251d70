import type { Kafka, Message, Producer } from 'kafkajs'
import { kafkaUntil } from './client.ts'
import { stablePartitioner } from './stable-partitioner.ts'
import { UnsendableError } from './unsendable-error.ts'

export type TopicMessage = { topic: string; message: Message }

/** Why a request failed and what helps: nothing, time alone, or time and a new producer. */
export type FailureKind = 'unsendable' | 'unknown-topic' | 'away' | 'broken'

/**
 * One idempotent kafkajs producer, one request at a time. As long as the outcome of a request is
 * unknown it must be repeated on the same session with the same messages: the broker then knows
 * it by its sequence numbers. After any other failure kafkajs numbers wrongly (it takes back the
 * numbers of partitions that were written too, and the broker would drop what comes next as a
 * repetition): the session must be replaced.
 */
export class ProducerSession {
  readonly #producer: Producer
  readonly #closed = new AbortController()
  #open = false

  constructor(kafka: Kafka) {
    this.#producer = kafkaUntil(this.#closed.signal, kafka).producer({
      idempotent: true,
      allowAutoTopicCreation: false,
      createPartitioner: stablePartitioner,
      // For what brokers answer; connections are tried for ever.
      retry: { initialRetryTime: 50, maxRetryTime: 500, retries: 15 },
    })
  }

  async open(): Promise<void> {
    if (this.#open) return
    await this.#producer.connect()
    this.#open = true
  }

  async send(records: readonly TopicMessage[]): Promise<void> {
    await this.open()
    const byTopic = Map.groupBy(records, ({ topic }) => topic)
    const topicMessages = [...byTopic].map(([topic, group]) => ({
      topic,
      messages: group.map(({ message }) => message),
    }))
    const acks = await this.#producer.sendBatch({ topicMessages, acks: -1, timeout: 10_000 })
    // When a leader moves between two tries, kafkajs may leave its partition out and still succeed.
    for (const [topic, group] of byTopic) {
      const ofTopic = acks.filter(({ topicName }) => topicName === topic)
      const acked = new Set(ofTopic.map(({ partition }) => partition))
      const all = group.every(({ message: { partition = -1 } }) => acked.has(partition))
      if (!all) throw new Error(`No acknowledgement for ${topic}`)
    }
  }

  async close(): Promise<void> {
    this.#closed.abort()
    await this.#producer.disconnect()
  }
}

const unsendableTypes = new Set([
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'INVALID_RECORD',
  'INVALID_TOPIC_EXCEPTION',
  'UNSUPPORTED_FOR_MESSAGE_FORMAT',
  'POLICY_VIOLATION',
])

export function failureKind(err: unknown): FailureKind {
  const cause = rootCause(err)
  const type = 'type' in cause ? String(cause.type) : ''
  const serialisation = cause instanceof TypeError || cause instanceof RangeError
  if (cause instanceof UnsendableError || serialisation || unsendableTypes.has(type)) {
    return 'unsendable'
  }
  if (type === 'UNKNOWN_TOPIC_OR_PARTITION') return 'unknown-topic'
  return 'retriable' in cause && cause.retriable === true ? 'away' : 'broken'
}

function rootCause(err: unknown): Error {
  if (!(err instanceof Error)) return new Error(String(err))
  return err.cause instanceof Error ? rootCause(err.cause) : err
}
