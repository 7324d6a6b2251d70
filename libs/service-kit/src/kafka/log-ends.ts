import type { Admin, Kafka } from 'kafkajs'
import type { Logger } from 'pino'

export type PartitionEnd = {
  topic: string
  partition: number
  /** First offset that is still there. */
  start: number
  /** Offset that the next record will get: everything acknowledged is below it. */
  end: number
}

/** Asks the leaders where the partitions of some topics end now. */
export class LogEnds implements AsyncDisposable {
  readonly #kafka: Kafka
  readonly #topics: readonly string[]
  readonly #log: Logger
  #admin: Promise<Admin> | null = null

  constructor(kafka: Kafka, topics: readonly string[], log: Logger) {
    this.#kafka = kafka
    this.#topics = topics
    this.#log = log
  }

  /** Rejects when a leader does not answer; the next call starts with a new connection. */
  async read(): Promise<PartitionEnd[]> {
    return this.#ask(async (admin) => {
      const ends = this.#topics.map(async (topic) =>
        (await admin.fetchTopicOffsets(topic)).map(({ partition, low, high }) => ({
          topic,
          partition,
          start: Number(low),
          end: Number(high),
        })),
      )
      return (await Promise.all(ends)).flat()
    })
  }

  /** Address (`host:port`) of the leader of a partition, or `null` while it has none. */
  async leaderOf(topic: string, partition: number): Promise<string | null> {
    return this.#ask(async (admin) => {
      const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
      const { brokers } = await admin.describeCluster()
      const found = topics[0]?.partitions.find(({ partitionId }) => partitionId === partition)
      const broker = brokers.find(({ nodeId }) => nodeId === found?.leader)
      return broker ? `${broker.host}:${broker.port}` : null
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const admin = this.#admin
    this.#admin = null
    try {
      await (await admin)?.disconnect()
    } catch (err) {
      this.#log.debug({ err }, 'kafka.admin.close')
    }
  }

  async #ask<T>(question: (admin: Admin) => Promise<T>): Promise<T> {
    this.#admin ??= this.#connect()
    try {
      return await question(await this.#admin)
    } catch (err) {
      void this[Symbol.asyncDispose]()
      throw err
    }
  }

  async #connect(): Promise<Admin> {
    const admin = this.#kafka.admin()
    await admin.connect()
    return admin
  }
}
