import type { Admin, Kafka } from 'kafkajs'
import { boundedBy } from '../bounded.ts'

/** Asks the cluster for its brokers: tells an idle producer that Kafka is away. */
export class BrokerProbe implements AsyncDisposable {
  readonly #kafka: Kafka
  readonly #timeoutMs: number
  #admin: Admin | null = null

  constructor(kafka: Kafka, timeoutMs: number) {
    this.#kafka = kafka
    this.#timeoutMs = timeoutMs
  }

  /** True when a broker answered within the time-out. Never rejects. */
  async answers(): Promise<boolean> {
    try {
      await boundedBy(this.#timeoutMs, this.#ask(), 'Kafka did not answer')
      return true
    } catch {
      // The answer is the finding. A client that failed once may hold on to a dead connection.
      void this[Symbol.asyncDispose]()
      return false
    }
  }

  async #ask(): Promise<void> {
    if (this.#admin === null) {
      this.#admin = this.#kafka.admin()
      await this.#admin.connect()
    }
    await this.#admin.describeCluster()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const admin = this.#admin
    this.#admin = null
    // A connection that is already broken cannot be closed politely, and need not be.
    await admin?.disconnect().catch(() => undefined)
  }
}
