import type { Kafka, KafkaMessage } from '@surehook/kafka/client/surface'

/**
 * The client without the rules of `libs/kafka`, for tests that write or read what no service does.
 */
export const rawKafka = (kafka: Kafka): RawKafka => kafka as RawKafka

type RawKafka = Kafka & {
  consumer(options: {
    groupId: string
    maxWaitTimeInMs?: number
    retry?: { retries: number }
  }): RawConsumer
  producer(options?: { allowAutoTopicCreation?: boolean }): RawProducer
}

type RawConsumer = {
  readonly events: { readonly CRASH: 'consumer.crash' }
  on(event: 'consumer.crash', listener: (crash: { payload: { error: Error } }) => void): unknown
  connect(): Promise<void>
  subscribe(of: { topics: string[]; fromBeginning: boolean }): Promise<void>
  run(of: {
    autoCommit?: boolean
    eachMessage?: (of: { message: KafkaMessage }) => Promise<void>
    eachBatch?: (of: { batch: { partition: number; messages: KafkaMessage[] } }) => Promise<void>
  }): Promise<void>
  disconnect(): Promise<void>
}

type RawMessages = {
  topic: string
  messages: { key?: string; value: Buffer | string | null; timestamp?: string }[]
}

type RawProducer = {
  connect(): Promise<void>
  send(of: RawMessages & { compression?: number }): Promise<unknown>
  sendBatch(of: { topicMessages: RawMessages[] }): Promise<unknown>
  disconnect(): Promise<void>
}
