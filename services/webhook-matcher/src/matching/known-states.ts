import { statesPositionOf } from '@surehook/contracts/wal-position'
import type { ChangeBatch } from '../batches/change-batch.ts'

type Batch = Pick<ChangeBatch, 'messages'>

/**
 * Each relay has one position between two states, and the partitions of `changes` are read at
 * different places.
 */
const remembered = 8

/**
 * Remembers whether the view has the subscription states that a batch needs. A relay adds to each
 * change how far those states were on their topic. A change with a known position needs no further
 * look at the topic. Positions are never compared, so a forged one, or one from before a restore,
 * affects only its own changes.
 */
export class KnownStates {
  /** Oldest first. */
  readonly #positions = new Set<string>()

  /** Returns false if a change has no position, or one that the view has not reached. */
  cover({ messages }: Batch): boolean {
    return messages.every(({ headers }) => {
      const position = statesPositionOf(headers)
      return position !== null && this.#positions.has(position)
    })
  }

  /** Call it when the view has reached the end that its topic had after the batch was read. */
  add({ messages }: Batch): void {
    for (const { headers } of messages) {
      const position = statesPositionOf(headers)
      if (position !== null) this.#positions.add(position)
    }
    for (const oldest of this.#positions) {
      if (this.#positions.size <= remembered) break
      this.#positions.delete(oldest)
    }
  }
}
