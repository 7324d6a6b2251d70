import { setImmediate as nextPhase } from 'node:timers/promises'
import { FairSlots, type FairSlotsOptions, type OwnerName } from './fair-slots.ts'

/** Of the loop: each accepts one new connection, so that a burst of them would wait for a turn each. */
const roundsBetween = 32

/**
 * Turns on the event loop, for work that takes it for milliseconds. Each turn has a round of the loop
 * of its own, with further rounds between two turns, so that everything else is served in between.
 * Owners take turns.
 */
export class LoopTurns {
  readonly #slots: FairSlots

  constructor(options: Omit<FairSlotsOptions, 'room'> = {}) {
    this.#slots = new FairSlots({ ...options, room: { all: 1 } })
  }

  async #pass(): Promise<void> {
    const rounds = this.#slots.waiting > 0 ? roundsBetween : 1
    for (let round = 0; round < rounds; round++) await nextPhase()
  }

  /**
   * Resolves when it is the owner's turn, which ends when the caller waits for anything. Rejects
   * with the refusal, or with the reason of the signal.
   */
  next(owner: OwnerName, signal?: AbortSignal): Promise<void> {
    return this.#slots.run(owner, () => this.#pass(), { signal })
  }
}
