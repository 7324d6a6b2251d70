import { statesPositionOf } from '@surehook/contracts/wal-position'
import type { ChangeBatch } from '../batches/change-batch.ts'

type Batch = Pick<ChangeBatch, 'messages'>

/** Each relay has one between two states; partitions of `changes` are read at different places. */
const remembered = 8

/**
 * Whether the view has the states of subscriptions that a batch needs. A relay says with each change how far those
 * states were on their topic: changes that say what an earlier one said need no further look at the topic. Positions
 * are not compared: a forged one, or one from before a restore, speaks for itself alone.
 */
export class KnownStates {
  /** The one that was added first comes first. */
  readonly #positions = new Set<string>()

  /** False when one of the changes does not say it, or says what no view has reached. */
  cover({ messages }: Batch): boolean {
    return messages.every(({ headers }) => {
      const position = statesPositionOf(headers)
      return position !== null && this.#positions.has(position)
    })
  }

  /** The view has reached the end that its topic had after the batch was read. */
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
