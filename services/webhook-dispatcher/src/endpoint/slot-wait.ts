import type { Slot } from '@surehook/service-kit/slots/fair-slots'
import type { AttemptSlots, Starter } from './attempt-slots.ts'

/** The slots of all attempts of this process, and the project that owns those of an endpoint. */
export type ProjectSlots = { all: AttemptSlots; projectId: string }

/**
 * The wait of one endpoint for a slot of its project. An endpoint waits once however many jobs it
 * has, so that the endpoints of a project take turns.
 */
export class SlotWait {
  readonly #slots: ProjectSlots
  readonly #onSlot: () => void
  readonly #end = new AbortController()
  #hasPendingWait = false
  #waitsSince: number | null = null
  #granted: Slot | null = null

  /** @param onSlot called when a slot came. It is freed unless `take` is called meanwhile */
  constructor(slots: ProjectSlots, onSlot: () => void) {
    this.#slots = slots
    this.#onSlot = onSlot
  }

  /** True while the project has no free slot for this endpoint. */
  get isWaiting(): boolean {
    return this.#waitsSince !== null
  }

  /** How long it has waited for the next slot. */
  get waitedMs(): number {
    return this.#waitsSince === null ? 0 : performance.now() - this.#waitsSince
  }

  /**
   * Returns a slot, or null: `onSlot` is called when an attempt may start.
   * @param isProven true if the endpoint answered the last attempt
   */
  take(isProven: boolean): Slot | null {
    const { all, projectId } = this.#slots
    const starter = { projectId, isProven }
    const slot = this.#granted ?? all.tryTake(starter)
    this.#granted = null
    if (slot === null && !this.#hasPendingWait) void this.#wait(starter)
    return slot
  }

  /** Ends the wait. */
  dispose(): void {
    this.#end.abort()
  }

  async #wait(starter: Starter): Promise<void> {
    const { signal } = this.#end
    this.#hasPendingWait = true
    this.#granted = await this.#next(starter, signal).catch(() => null)
    this.#hasPendingWait = false
    if (this.#granted === null) return
    if (!signal.aborted) this.#onSlot()
    this.#granted?.[Symbol.dispose]()
    this.#granted = null
  }

  async #next(starter: Starter, signal: AbortSignal): Promise<Slot> {
    const { all } = this.#slots
    this.#waitsSince = performance.now()
    const slot = await all.take(starter, signal).finally(() => (this.#waitsSince = null))
    try {
      await all.turn(starter, signal)
      return slot
    } catch (err) {
      slot[Symbol.dispose]()
      throw err
    }
  }
}
