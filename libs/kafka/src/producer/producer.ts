import { boundedBy } from '@surehook/service-kit/bounded'
import { unavailable } from '@surehook/service-kit/errors'
import type { Logger } from 'pino'
import { type AnsweredRequests, answeredRequestsOf } from '../client/answered-requests.ts'
import { BrokerProbe } from '../client/broker-probe.ts'
import type { Kafka } from '../client/surface.ts'
import type { OutgoingRecord } from './partitioned/entry.ts'
import { PartitionedSender, type SenderOptions } from './partitioned/partitioned-sender.ts'

export type { OutgoingRecord } from './partitioned/entry.ts'
export type ProducerOptions = SenderOptions

export type EventProducer = AsyncDisposable & {
  /**
   * Resolves when Kafka has acknowledged every record. It keeps the order of the records and of
   * earlier calls in each partition. Partitions do not wait for each other. It retries without
   * limit, even while a topic is missing. Rejects with `UnsendableError` for a record that Kafka
   * can never accept (others of the same call may have been sent), and with SERVICE_UNAVAILABLE
   * when disposed.
   */
  send(records: readonly OutgoingRecord[]): Promise<void>
  /**
   * False a few seconds after Kafka became unreachable, even when idle. One unavailable partition
   * alone does not make it false.
   */
  readonly healthy: boolean
}

const openWithinMs = 3_000
const probeEveryMs = 2_000
const slowMs = 3_000
const drainWithinMs = 3_000
const closeWithinMs = 1_000

/** Rejects when Kafka is unreachable. Once open, the producer survives any outage. */
export async function openProducer(kafka: Kafka, options: ProducerOptions): Promise<EventProducer> {
  const sender = new PartitionedSender(kafka, options)
  try {
    await boundedBy(openWithinMs, sender.open(), 'Kafka is away')
  } catch (err) {
    await closeSender(sender, options.log)
    throw err
  }
  return new KafkaEventProducer(kafka, sender, options.log)
}

class KafkaEventProducer implements EventProducer {
  readonly #sender: PartitionedSender
  readonly #log: Logger
  readonly #requests: AnsweredRequests
  readonly #probe: BrokerProbe
  readonly #probing: NodeJS.Timeout
  readonly #drained = Promise.withResolvers<void>()
  #calls = 0
  #closing = false
  #looking = false
  #answers = true

  constructor(kafka: Kafka, sender: PartitionedSender, log: Logger) {
    this.#sender = sender
    this.#log = log
    this.#requests = answeredRequestsOf(kafka)
    this.#probe = new BrokerProbe(kafka, slowMs)
    this.#probing = setInterval(() => void this.#look(), probeEveryMs)
    this.#probing.unref()
  }

  get healthy(): boolean {
    return this.#answers && !this.#closing && this.#sender.takesRecords
  }

  async send(records: readonly OutgoingRecord[]): Promise<void> {
    if (this.#closing) throw unavailable('The producer is closed')
    if (records.length === 0) return
    this.#calls += 1
    try {
      await this.#sender.send(records)
    } finally {
      this.#calls -= 1
      if (this.#closing && this.#calls === 0) this.#drained.resolve()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true
    clearInterval(this.#probing)
    if (this.#calls === 0) this.#drained.resolve()
    const drained = boundedBy(drainWithinMs, this.#drained.promise, 'Kafka is away')
    await drained.catch((err) => this.#log.warn({ err }, 'producer.undrained'))
    const closing = closeSender(this.#sender, this.#log)
    await this.#probe[Symbol.asyncDispose]()
    await closing
  }

  async #look(): Promise<void> {
    if (this.#looking) return
    if (this.#requests.hasWithin(probeEveryMs)) {
      this.#answers = true
      return
    }
    this.#looking = true
    const answers = await this.#probe.answers()
    if (answers !== this.#answers) this.#log.warn({ answers }, 'producer.kafka')
    this.#looking = false
    this.#answers = answers
  }
}

async function closeSender(sender: PartitionedSender, log: Logger): Promise<void> {
  const closed = sender.close(unavailable('The producer is closed'))
  const bounded = boundedBy(closeWithinMs, closed, 'The connection did not close')
  await bounded.catch((err) => log.debug({ err }, 'producer.close'))
}
