import { setImmediate as nextPhase } from 'node:timers/promises'
import { FairSlots, type FairSlotsOptions, type OwnerName } from './fair-slots.ts'

/**
 * Turns on the event loop, for work that takes it for milliseconds. Each round of the loop has one
 * turn, so that everything else is served in between. Owners take turns.
 */
export class LoopTurns {
  readonly #slots: FairSlots

  constructor(options: Omit<FairSlotsOptions, 'room'> = {}) {
    this.#slots = new FairSlots({ ...options, room: { all: 1 } })
  }

  /**
   * Resolves when it is the owner's turn, which ends when the caller waits for anything. Rejects
   * with the refusal, or with the reason of the signal.
   */
  next(owner: OwnerName, signal?: AbortSignal): Promise<void> {
    return this.#slots.run(owner, () => nextPhase(), { signal })
  }
}
