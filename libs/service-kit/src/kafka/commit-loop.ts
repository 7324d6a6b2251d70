import type { Consumer, TopicPartitionOffsetAndMetadata } from 'kafkajs'
import type { Logger } from 'pino'
import type { PartitionLane } from './partition-lane.ts'

export type CommitLoopOptions = {
  consumer: Pick<Consumer, 'commitOffsets'>
  /** Shortest time between two commits. */
  intervalMs: number
  lanes: () => Iterable<PartitionLane>
  /** After each commit that succeeded. */
  onCommitted?: (() => void) | undefined
  log: Logger
}

/** Commits the positions of dirty lanes: one request at a time, everything dirty in each. */
export class CommitLoop {
  readonly #options: CommitLoopOptions
  #timer: NodeJS.Timeout | null = null
  #running: Promise<void> | null = null
  #stopped = false

  constructor(options: CommitLoopOptions) {
    this.#options = options
  }

  /** True while something finished is not committed. */
  get pending(): boolean {
    return this.#running !== null || this.#timer !== null
  }

  wake(): void {
    if (this.#timer !== null || this.#running !== null || this.#stopped) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#running = this.#commit().finally(() => {
        this.#running = null
        if (this.#anyDirty()) this.wake()
      })
    }, this.#options.intervalMs)
  }

  /** Commits what is left and commits nothing afterwards. */
  async stop(): Promise<void> {
    this.#stopped = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    await this.#running
    await this.#commit()
  }

  #anyDirty(): boolean {
    for (const lane of this.#options.lanes()) if (lane.dirty) return true
    return false
  }

  async #commit(): Promise<void> {
    const dirty = [...this.#options.lanes()].filter((lane) => lane.dirty)
    if (dirty.length === 0) return
    const covered = dirty.map((lane) => lane.uncommitted)
    const offsets: TopicPartitionOffsetAndMetadata[] = dirty.map((lane) => {
      lane.dirty = false
      const { offset, metadata } = lane.position()
      const { topic, partition } = lane
      return { topic, partition, offset: String(offset), metadata }
    })
    try {
      await this.#options.consumer.commitOffsets(offsets)
      for (const [index, lane] of dirty.entries()) lane.uncommitted -= covered[index] ?? 0
      this.#options.onCommitted?.()
    } catch (err) {
      // A commit that failed is made again with the next one; what it covered may be repeated.
      for (const lane of dirty) lane.dirty = true
      this.#options.log.debug({ err }, 'consumer.commit.retry')
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
