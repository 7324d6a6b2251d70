import { boundedBy } from '@surehook/service-kit/bounded'
import { type Cluster, openCluster } from './cluster.ts'
import type { Kafka } from './surface.ts'

/** Sends a request to the cluster, so that an idle producer notices when Kafka is unreachable. */
export class BrokerProbe implements AsyncDisposable {
  readonly #kafka: Kafka
  readonly #timeoutMs: number
  #cluster: Promise<Cluster> | null = null
  #asking: Promise<void> = Promise.resolve()

  constructor(kafka: Kafka, timeoutMs: number) {
    this.#kafka = kafka
    this.#timeoutMs = timeoutMs
  }

  /**
   * Resolves with true if a broker answered within the timeout. Never rejects. Call it once at a
   * time.
   */
  async answers(): Promise<boolean> {
    this.#asking = this.#ask()
    try {
      await boundedBy(this.#timeoutMs, this.#asking, 'Kafka did not answer')
      return true
    } catch {
      // The failure itself is the result. A failed client may keep a dead connection, so it is
      // closed.
      void this.#close()
      return false
    }
  }

  async #ask(): Promise<void> {
    this.#cluster ??= this.#connect()
    const { brokerPool } = await this.#cluster
    // The smallest request that every broker answers to any connected client.
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
    // A running request would open its connection again after the disconnect.
    const asked = this.#asking.catch(() => undefined)
    await boundedBy(this.#timeoutMs, asked, 'Kafka did not answer').catch(() => undefined)
    await this.#close()
  }
}

/** Closing a lost connection fails, and nothing is left to close. */
const disconnect = (cluster: Cluster) => cluster.disconnect().catch(() => undefined)
