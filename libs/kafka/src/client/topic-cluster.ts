import type { Logger } from 'pino'
import { type Cluster, openCluster } from './cluster.ts'
import type { Kafka } from './surface.ts'

export type TopicClusterOptions = {
  kafka: Kafka
  topics: readonly string[]
  /** The name of the owner, for the log. */
  name: string
  log: Logger
}

/** Connections for some topics. They open with the first request, and again after `drop`. */
export class TopicCluster implements AsyncDisposable {
  readonly #options: TopicClusterOptions
  #cluster: Promise<Cluster> | null = null

  constructor(options: TopicClusterOptions) {
    this.#options = options
  }

  connected(): Promise<Cluster> {
    return (this.#cluster ??= this.#connect())
  }

  /**
   * Reads the metadata of `cluster` again, unless another one has replaced it. A failure closes it.
   */
  async refresh(cluster: Promise<Cluster>): Promise<void> {
    if (cluster !== this.#cluster) return
    try {
      await (await cluster).refreshMetadata()
    } catch (err) {
      const { name, log } = this.#options
      log.debug({ err }, `kafka.${name}.refresh`)
      void this.drop(cluster)
    }
  }

  /** Closes `cluster`, unless another one has replaced it. */
  async drop(cluster: Promise<Cluster> | null): Promise<void> {
    if (cluster !== this.#cluster) return
    this.#cluster = null
    const { name, log } = this.#options
    try {
      await (await cluster)?.disconnect()
    } catch (err) {
      log.debug({ err }, `kafka.${name}.close`)
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.drop(this.#cluster)
  }

  async #connect(): Promise<Cluster> {
    const cluster = openCluster(this.#options.kafka)
    try {
      await cluster.connect()
      await cluster.addMultipleTargetTopics([...this.#options.topics])
      return cluster
    } catch (err) {
      await cluster.disconnect()
      throw err
    }
  }
}
