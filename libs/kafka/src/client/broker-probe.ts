import { boundedBy } from '@surehook/service-kit/bounded'
import type { Admin, Kafka } from 'kafkajs'

/** Asks the cluster for its brokers: tells an idle producer that Kafka is away. */
export class BrokerProbe implements AsyncDisposable {
  readonly #kafka: Kafka
  readonly #timeoutMs: number
  #admin: Promise<Admin> | null = null
  #asking: Promise<void> = Promise.resolve()

  constructor(kafka: Kafka, timeoutMs: number) {
    this.#kafka = kafka
    this.#timeoutMs = timeoutMs
  }

  /** True when a broker answered within the time-out. Never rejects. One question at a time. */
  async answers(): Promise<boolean> {
    this.#asking = this.#ask()
    try {
      await boundedBy(this.#timeoutMs, this.#asking, 'Kafka did not answer')
      return true
    } catch {
      // The answer is the finding. A client that failed once may hold on to a dead connection.
      void this.#close()
      return false
    }
  }

  async #ask(): Promise<void> {
    this.#admin ??= this.#connect()
    await (await this.#admin).describeCluster()
  }

  async #connect(): Promise<Admin> {
    const admin = this.#kafka.admin({ retry: { retries: 1 } })
    try {
      await admin.connect()
    } catch (err) {
      await disconnect(admin)
      throw err
    }
    return admin
  }

  async #close(): Promise<void> {
    const closing = this.#admin
    this.#admin = null
    const admin = await closing?.catch(() => undefined)
    if (admin) await disconnect(admin)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A question under way would open its connection anew after the disconnect.
    const asked = this.#asking.catch(() => undefined)
    await boundedBy(this.#timeoutMs, asked, 'Kafka did not answer').catch(() => undefined)
    await this.#close()
  }
}

/** A connection that is already broken cannot be closed politely, and need not be. */
const disconnect = (admin: Admin) => admin.disconnect().catch(() => undefined)
