import type { Batch, Consumer } from 'kafkajs'

type Steering = Pick<Consumer, 'seek' | 'pause' | 'resume' | 'commitOffsets'>

/**
 * Steers the consumer that runs at the moment. Between two memberships there is none, and nothing
 * to steer: joining sets every assigned partition up anew.
 */
export class PartitionReader implements Steering {
  readonly #current: () => Consumer | null

  /** @param current `null` while this process is not a member of the group */
  constructor(current: () => Consumer | null) {
    this.#current = current
  }

  seek(at: Parameters<Consumer['seek']>[0]): void {
    this.#whileRunning((consumer) => consumer.seek(at))
  }

  pause(partitions: Parameters<Consumer['pause']>[0]): void {
    this.#whileRunning((consumer) => consumer.pause(partitions))
  }

  resume(partitions: Parameters<Consumer['resume']>[0]): void {
    this.#whileRunning((consumer) => consumer.resume(partitions))
  }

  /** Rejects while there is no membership. */
  async commitOffsets(offsets: Parameters<Consumer['commitOffsets']>[0]): Promise<void> {
    const consumer = this.#current()
    if (consumer === null) throw new Error('not a member of the group')
    await consumer.commitOffsets(offsets)
  }

  #whileRunning(steer: (consumer: Consumer) => void): void {
    const consumer = this.#current()
    if (consumer === null) return
    try {
      steer(consumer)
    } catch (err) {
      if (!isNotRunning(err)) throw err
    }
  }
}

/** How kafkajs refuses when it has crashed and nobody knows yet. */
const isNotRunning = (err: unknown): boolean =>
  err instanceof Error && err.message.startsWith('Consumer group was not initialized')

/** The offset that a batch was asked for from; kafkajs' type does not tell it. */
export const fetchedFrom = (batch: Batch): number =>
  Number((batch as Batch & { fetchedOffset: string }).fetchedOffset)
