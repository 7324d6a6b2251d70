import { type BudgetShare, MemoryBudget } from '@surehook/service-kit/config/memory-budget'

export type Window = { messages: number; bytes: number }

type WindowUse = { messages: number; bytes: number }

/** A tenant may hold at most this many times the free part of a window. */
const timesTheRest = 3
/**
 * Reading back pays off for a tenant below this part of its limit, with room for this part of the
 * window.
 */
const worthwhile = 1 / 3
const leastOfWindow = 1 / 16

/**
 * Shares the window of one assigned partition among tenants. A single tenant may fill three
 * quarters of it. Each of n tenants that want more gets 3/(1 + 3n). The next tenant always finds
 * room: also while the budget of the process is exhausted, because a tenant may always hold one
 * message.
 */
export class FairShare {
  readonly #window: Window
  readonly #of = new Map<string, WindowUse>()
  readonly #all: WindowUse = { messages: 0, bytes: 0 }
  /** The part of the budget that this window uses. */
  readonly #part: BudgetShare

  /** @param budget for all windows of the process. Default: only the window limits what is held */
  constructor(window: Window, budget = new MemoryBudget(Number.POSITIVE_INFINITY)) {
    this.#window = window
    this.#part = budget.open()
  }

  get all(): Readonly<WindowUse> {
    return this.#all
  }

  /** True if the budget is exhausted and this window uses much of it. */
  get isOverBudget(): boolean {
    return this.#part.mustPause
  }

  /** True if the budget has room for more of this window. */
  get hasBudget(): boolean {
    return this.#part.mayResume
  }

  hold(tenant: string, bytes: number): void {
    const held = this.#of.get(tenant) ?? { messages: 0, bytes: 0 }
    this.#of.set(tenant, held)
    change(held, 1, bytes)
    change(this.#all, 1, bytes)
    this.#part.add(bytes)
  }

  release(tenant: string, bytes: number): void {
    const held = this.#of.get(tenant)
    if (held === undefined) return
    change(held, -1, -bytes)
    change(this.#all, -1, -bytes)
    this.#part.release(bytes)
    if (held.messages === 0) this.#of.delete(tenant)
  }

  /** Gives back its part of the budget. Nothing is held afterwards. */
  close(): void {
    this.#part.close()
  }

  /** True if the tenant may hold one more message. */
  admits(tenant: string): boolean {
    const { messages, bytes } = this.#heldBy(tenant)
    if (this.isOverBudget && messages > 0) return false
    const rest = this.#rest
    return messages < timesTheRest * rest.messages && bytes < timesTheRest * rest.bytes
  }

  /** True if the tenant has enough room to make reading back worthwhile. */
  isRoomy(tenant: string): boolean {
    const { messages, bytes } = this.#heldBy(tenant)
    if (!this.hasBudget) return false
    const rest = this.#rest
    const limit = timesTheRest * rest.messages
    if (messages > limit * worthwhile) return false
    if (limit - messages < this.#window.messages * leastOfWindow) return false
    return bytes <= timesTheRest * rest.bytes * worthwhile
  }

  #heldBy(tenant: string): WindowUse {
    return this.#of.get(tenant) ?? none
  }

  get #rest(): WindowUse {
    return {
      messages: this.#window.messages - this.#all.messages,
      bytes: this.#window.bytes - this.#all.bytes,
    }
  }
}

const none: WindowUse = { messages: 0, bytes: 0 }

function change(held: WindowUse, messages: number, bytes: number): void {
  held.messages += messages
  held.bytes += bytes
}
