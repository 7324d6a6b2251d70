import { boundedBy } from '@surehook/service-kit/bounded'
import type { Kafka } from 'kafkajs'
import { type Cluster, openCluster } from './cluster.ts'

/** Asks the cluster for its brokers: tells an idle producer that Kafka is away. */
export class BrokerProbe implements AsyncDisposable {
  readonly #kafka: Kafka
  readonly #timeoutMs: number
  #cluster: Promise<Cluster> | null = null
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
    this.#cluster ??= this.#connect()
    const { brokerPool } = await this.#cluster
    // The smallest request that every broker answers to whoever may connect.
    await (await brokerPool.findConnectedBroker()).apiVersions()
  }

  async #connect(): Promise<Cluster> {
    const cluster = openCluster(this.#kafka)
    try {
      await cluster.connect()
    } catch (err) {
      await disconnect(cluster)
      throw err
    }
    return cluster
  }

  async #close(): Promise<void> {
    const closing = this.#cluster
    this.#cluster = null
    const cluster = await closing?.catch(() => undefined)
    if (cluster) await disconnect(cluster)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A question under way would open its connection anew after the disconnect.
    const asked = this.#asking.catch(() => undefined)
    await boundedBy(this.#timeoutMs, asked, 'Kafka did not answer').catch(() => undefined)
    await this.#close()
  }
}

/** A connection that is already broken cannot be closed politely, and need not be. */
const disconnect = (cluster: Cluster) => cluster.disconnect().catch(() => undefined)
