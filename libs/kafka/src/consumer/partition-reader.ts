import type { Batch, Consumer } from 'kafkajs'

type ReaderControls = Pick<Consumer, 'seek' | 'pause' | 'resume' | 'commitOffsets'>

/**
 * Controls the consumer that runs at the moment. Between two memberships there is none: joining
 * sets up every assigned partition again.
 */
export class PartitionReader implements ReaderControls {
  readonly #current: () => Consumer | null

  /** @param current returns `null` while this process is not a member of the group */
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

/** The error with which kafkajs refuses after a crash that it has not reported yet. */
const isNotRunning = (err: unknown): boolean =>
  err instanceof Error && err.message.startsWith('Consumer group was not initialized')

/** Offset from which a batch was fetched. kafkajs' type lacks the field. */
export const fetchedFrom = (batch: Batch): number =>
  Number((batch as Batch & { fetchedOffset: string }).fetchedOffset)
