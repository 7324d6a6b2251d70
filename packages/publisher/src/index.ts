import { type NewChange, toChangeEvents } from '@surehook/contracts/events/new-change'
import { changeKey } from '@surehook/contracts/ids'
import { changesTopic } from '@surehook/contracts/topics'
import { applyProducerPatches } from '@surehook/kafka/kafkajs-patches/apply-producer-patches'
import { answeringFirst } from '@surehook/kafka/kafkajs-patches/connections/unresponsive-broker'
import { type EventCodec, openEventCodec } from '@surehook/schemas/codec'
import type { RegistrySecurity } from '@surehook/schemas/registry-client'
import {
  Kafka,
  type KafkaConfig,
  logLevel,
  type Message,
  Partitioners,
  type Producer,
} from 'kafkajs'

export { InvalidChangeError, type NewChange } from '@surehook/contracts/events/new-change'

export type ChangePublisherOptions = {
  /** Bootstrap brokers as `host:port`. */
  brokers: readonly string[]
  schemaRegistryUrl: string
  /** TLS and SASL settings of Kafka, in the form of kafkajs. */
  kafkaSecurity?: Pick<KafkaConfig, 'ssl' | 'sasl'>
  /** CA and basic authentication of the schema registry. */
  registrySecurity?: RegistrySecurity
  /** Name of your service. Every event carries it. */
  source: string
  /**
   * Calls `applyProducerPatches`, which changes kafkajs for every client in the process. By default
   * the publisher leaves kafkajs unchanged.
   */
  patchKafkajs?: boolean
  /** Name of the topic if it differs from `changes`, as in tests. */
  topic?: string
}

export type ChangePublisher = AsyncDisposable & {
  /**
   * Resolves when Kafka has acknowledged all changes, in the order of the list and of earlier
   * calls. Rejects with `InvalidChangeError` before anything is sent. After any other rejection
   * some changes may have been sent: publish all of them again with the same ids.
   */
  publish(changes: readonly NewChange[]): Promise<void>
}

/**
 * Opens a publisher of record changes. Rejects when Kafka or the schema registry is unreachable.
 */
export async function openChangePublisher(
  options: ChangePublisherOptions,
): Promise<ChangePublisher> {
  const { schemaRegistryUrl: registryUrl, registrySecurity } = options
  const codec = await openEventCodec({ registryUrl, registrySecurity })
  const publisher = new KafkaChangePublisher(options, codec)
  await publisher.connect()
  return publisher
}

const maxRequestBytes = 1_000_000
const maxRequestMessages = 1_000

class KafkaChangePublisher implements ChangePublisher {
  readonly #options: ChangePublisherOptions
  readonly #codec: EventCodec
  readonly #kafka: Kafka
  #producer: Producer | null = null
  #last: Promise<void> = Promise.resolve()

  constructor(options: ChangePublisherOptions, codec: EventCodec) {
    this.#options = options
    this.#codec = codec
    if (options.patchKafkajs === true) applyProducerPatches()
    this.#kafka = new Kafka({
      ...options.kafkaSecurity,
      brokers: () => answeringFirst(options.brokers),
      clientId: options.source,
      // The rejection carries the error. A library must not write to its user's terminal.
      logLevel: logLevel.NOTHING,
      retry: { initialRetryTime: 100, maxRetryTime: 1_000, retries: 3 },
    })
  }

  async connect(): Promise<Producer> {
    if (this.#producer !== null) return this.#producer
    const producer = this.#kafka.producer({
      idempotent: true,
      allowAutoTopicCreation: false,
      // webhook-matcher opens new partitions when no writer uses an earlier number any more.
      metadataMaxAge: 10_000,
      createPartitioner: rememberingPartitioner,
      retry: { initialRetryTime: 100, maxRetryTime: 1_000, retries: 10 },
    })
    await producer.connect()
    this.#producer = producer
    return producer
  }

  async publish(changes: readonly NewChange[]): Promise<void> {
    const events = toChangeEvents(changes, this.#options.source)
    const messages = events.map((event) => ({
      key: changeKey(event),
      value: this.#codec.change.encode(event),
    }))
    // Sends calls one after another, because that keeps their order.
    const sent = this.#last.then(() => this.#sendAll(messages))
    this.#last = sent.catch(() => undefined)
    await sent
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#last
    await this.#producer?.disconnect()
  }

  async #sendAll(messages: readonly { key: string; value: Buffer }[]): Promise<void> {
    for (let start = 0; start < messages.length; ) {
      const request: Message[] = []
      for (let bytes = 0; request.length < maxRequestMessages; ) {
        const message = messages[start + request.length]
        if (message === undefined) break
        bytes += message.value.length + message.key.length + 70
        if (bytes > maxRequestBytes && request.length > 0) break
        request.push({ ...message })
      }
      await this.#send(request)
      start += request.length
    }
  }

  async #send(messages: Message[]): Promise<void> {
    const topic = this.#options.topic ?? changesTopic
    const producer = await this.connect()
    try {
      const acks = await producer.send({ topic, messages, acks: -1, timeout: 10_000 })
      const partitions = new Set(acks.map(({ partition }) => partition))
      // kafkajs may succeed without a partition whose leader moved between two tries.
      if (partitions.size < this.#partitionsOf(messages)) throw new Error('Not all acknowledged')
    } catch (err) {
      // After a failure kafkajs may use wrong sequence numbers, and the broker would drop later
      // messages.
      this.#producer = null
      await producer.disconnect()
      const reason = err instanceof Error ? err.message : String(err)
      throw new Error(`The changes were not published: ${reason}`, { cause: err })
    }
  }

  #partitionsOf(messages: readonly Message[]): number {
    return new Set(messages.map(({ partition }) => partition)).size
  }
}

/**
 * The Java clients' partitioner. It stores its choice, so that the acknowledgements can be checked
 * against it.
 */
const rememberingPartitioner = () => {
  const choose = Partitioners.DefaultPartitioner()
  return (args: Parameters<typeof choose>[0]): number => {
    args.message.partition = choose(args)
    return args.message.partition
  }
}
