import type { FairSlots, Slot } from '@surehook/service-kit/slots/fair-slots'

/** The slots of all attempts of this process, and the project that owns those of an endpoint. */
export type ProjectSlots = { all: FairSlots; projectId: string }

/**
 * The wait of one endpoint for a slot of its project. An endpoint waits once however many jobs it
 * has, so that the endpoints of a project take turns.
 */
export class SlotWait {
  readonly #slots: ProjectSlots
  readonly #onSlot: () => void
  #wait: AbortController | null = null
  #came: Slot | null = null

  /** @param onSlot called when a slot came. It is freed unless `take` is called meanwhile */
  constructor(slots: ProjectSlots, onSlot: () => void) {
    this.#slots = slots
    this.#onSlot = onSlot
  }

  get isWaiting(): boolean {
    return this.#wait !== null
  }

  /** Returns a slot, or null: `onSlot` is called when one is free. */
  take(): Slot | null {
    const { all, projectId } = this.#slots
    const slot = this.#came ?? all.tryTake(projectId)
    this.#came = null
    if (slot === null && this.#wait === null) void this.#waitFor(new AbortController())
    return slot
  }

  /** Ends the wait. */
  dispose(): void {
    this.#wait?.abort()
    this.#wait = null
  }

  async #waitFor(wait: AbortController): Promise<void> {
    const { all, projectId } = this.#slots
    this.#wait = wait
    const { signal } = wait
    const slot = await all.take(projectId, { signal }).catch(() => null)
    if (slot === null) return
    this.#wait = null
    this.#came = slot
    if (!signal.aborted) this.#onSlot()
    this.#came?.[Symbol.dispose]()
    this.#came = null
  }
}
