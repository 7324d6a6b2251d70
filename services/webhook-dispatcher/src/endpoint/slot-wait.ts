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
  readonly #end = new AbortController()
  #waitsSince: number | null = null
  #came: Slot | null = null

  /** @param onSlot called when a slot came. It is freed unless `take` is called meanwhile */
  constructor(slots: ProjectSlots, onSlot: () => void) {
    this.#slots = slots
    this.#onSlot = onSlot
  }

  get isWaiting(): boolean {
    return this.#waitsSince !== null
  }

  /** How long it has waited for the next slot. */
  get waitedMs(): number {
    return this.#waitsSince === null ? 0 : performance.now() - this.#waitsSince
  }

  /** Returns a slot, or null: `onSlot` is called when one is free. */
  take(): Slot | null {
    const { all, projectId } = this.#slots
    const slot = this.#came ?? all.tryTake(projectId)
    this.#came = null
    if (slot === null && !this.isWaiting) void this.#wait()
    return slot
  }

  /** Ends the wait. */
  dispose(): void {
    this.#end.abort()
  }

  async #wait(): Promise<void> {
    const { all, projectId } = this.#slots
    const { signal } = this.#end
    this.#waitsSince = performance.now()
    const slot = await all.take(projectId, { signal }).catch(() => null)
    this.#waitsSince = null
    if (slot === null) return
    this.#came = slot
    if (!signal.aborted) this.#onSlot()
    this.#came?.[Symbol.dispose]()
    this.#came = null
  }
}
