import { isBefore, statesPositionOf } from '@surehook/contracts/wal-position'
import type { ChangeBatch } from './change-batch.ts'

type Batch = Pick<ChangeBatch, 'messages'>

/**
 * Whether the view has the states of subscriptions that a batch needs. A relay says with each change how far those
 * states were on their topic: changes that say what an earlier one said need no further look at the topic.
 */
export class KnownStates {
  #position: string | null = null

  /** False when one of the changes does not say it, or says more than is known. */
  cover({ messages }: Batch): boolean {
    return messages.every(({ headers }) => this.#includes(statesPositionOf(headers)))
  }

  /** The view has reached the end that its topic had after the batch was read. */
  add({ messages }: Batch): void {
    for (const { headers } of messages) {
      const position = statesPositionOf(headers)
      if (position !== null && !this.#includes(position)) this.#position = position
    }
  }

  #includes(position: string | null): boolean {
    if (position === null || this.#position === null) return false
    // Of another cluster it is not comparable, and not included.
    return isBefore(this.#position, position) === false
  }
}
