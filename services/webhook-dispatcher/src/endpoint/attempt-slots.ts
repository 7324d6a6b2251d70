import { setImmediate } from 'node:timers'
import { FairSlots, type Slot, type SlotRoom } from '@surehook/service-kit/slots/fair-slots'
import { LoopTurns } from '@surehook/service-kit/slots/loop-turns'

export type AttemptSlotsOptions = {
  room?: Partial<SlotRoom>
  /** For how many milliseconds attempts may start in one round of the event loop. */
  startingMs?: number
}

/** The project of an attempt, and whether its endpoint answered the last one. */
export type Starter = { projectId: string; isProven: boolean }

/**
 * The slots of all attempts of a process, owned by projects. It also spreads the starts over rounds
 * of the event loop: hundreds at once, as when many receivers time out together, would delay the
 * attempts of every other project.
 */
export class AttemptSlots {
  readonly #slots: FairSlots
  /** One round each: hundreds that wait would otherwise start behind all that come later. */
  readonly #turns = new LoopTurns({ rounds: 1 })
  /**
   * An attempt at an unproven endpoint needs a new connection: its socket, its handshake and its end
   * take a round each.
   */
  readonly #unprovenTurns = new LoopTurns({ rounds: 4 })
  readonly #startingMs: number
  /** The time of the first start in this round of the event loop. */
  #startingSince: number | null = null

  /** By default nothing is limited. */
  constructor({ room = {}, startingMs = Number.POSITIVE_INFINITY }: AttemptSlotsOptions = {}) {
    this.#slots = new FairSlots({ room })
    this.#startingMs = startingMs
  }

  /** The number of slots that are taken. */
  get taken(): number {
    return this.#slots.taken
  }

  /** Returns a slot if an attempt may start now. */
  tryTake(starter: Starter): Slot | null {
    const slot = this.#mayStart(starter) ? this.#slots.tryTake(starter.projectId) : null
    if (slot !== null) this.#noteStart()
    return slot
  }

  /**
   * Resolves with a slot. Await `turn` before its attempt starts. Rejects with the reason of the
   * signal.
   */
  take({ projectId }: Starter, signal: AbortSignal): Promise<Slot> {
    return this.#slots.take(projectId, { signal })
  }

  /** Resolves when the attempt may start. Projects take turns. */
  async turn(starter: Starter, signal: AbortSignal): Promise<void> {
    const { projectId, isProven } = starter
    const turns = isProven ? this.#turns : this.#unprovenTurns
    if (!this.#mayStart(starter)) await turns.next(projectId, signal)
    this.#noteStart()
  }

  #mayStart({ isProven }: Starter): boolean {
    if (this.#startingMs === Number.POSITIVE_INFINITY) return true
    const since = this.#startingSince
    return isProven && (since === null || performance.now() - since < this.#startingMs)
  }

  #noteStart(): void {
    if (this.#startingSince !== null) return
    this.#startingSince = performance.now()
    setImmediate(() => (this.#startingSince = null))
  }
}
