import { setImmediate as nextPhase } from 'node:timers/promises'
import { FairSlots, type FairSlotsOptions, type OwnerName } from './fair-slots.ts'

type LoopTurnsOptions = Omit<FairSlotsOptions, 'room'> & {
  /**
   * How many rounds of the loop a turn has while others wait. Each round accepts one new
   * connection, so that with one round a burst of them would wait for a turn each.
   */
  rounds?: number
}

/**
 * Turns on the event loop, for work that takes it for milliseconds. Each turn has rounds of the loop
 * of its own, so that everything else is served in between. Owners take turns.
 */
export class LoopTurns {
  readonly #slots: FairSlots
  readonly #rounds: number

  constructor({ rounds = 32, ...options }: LoopTurnsOptions = {}) {
    this.#rounds = rounds
    this.#slots = new FairSlots({ ...options, room: { all: 1 } })
  }

  async #pass(): Promise<void> {
    const rounds = this.#slots.waiting > 0 ? this.#rounds : 1
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
