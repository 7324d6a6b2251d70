export type Window = { messages: number; bytes: number }

type Held = { messages: number; bytes: number }

/** A tenant may hold so many times what is left of a window for others. */
const timesTheRest = 3
/** Reading back is worth it for one who holds less than this part of what it may, and has room for this part of the window. */
const worthwhile = 1 / 3
const leastOfWindow = 1 / 16

/**
 * What tenants hold of the window of one assigned partition. One alone may fill three quarters of it, and each of n
 * that want more than they get has 3/(1 + 3n): there is always room left for who comes next.
 */
export class FairShare {
  readonly #window: Window
  readonly #of = new Map<string, Held>()
  readonly #all: Held = { messages: 0, bytes: 0 }

  constructor(window: Window) {
    this.#window = window
  }

  get all(): Readonly<Held> {
    return this.#all
  }

  hold(tenant: string, bytes: number): void {
    const held = this.#of.get(tenant) ?? { messages: 0, bytes: 0 }
    this.#of.set(tenant, held)
    change(held, 1, bytes)
    change(this.#all, 1, bytes)
  }

  release(tenant: string, bytes: number): void {
    const held = this.#of.get(tenant)
    if (held === undefined) return
    change(held, -1, -bytes)
    change(this.#all, -1, -bytes)
    if (held.messages === 0) this.#of.delete(tenant)
  }

  /** Whether one more message of the tenant may be held. */
  admits(tenant: string): boolean {
    const { messages, bytes } = this.#heldBy(tenant)
    const rest = this.#rest
    return messages < timesTheRest * rest.messages && bytes < timesTheRest * rest.bytes
  }

  /** Whether it may hold so many more that it is worth reading back for them. */
  isRoomy(tenant: string): boolean {
    const { messages, bytes } = this.#heldBy(tenant)
    const rest = this.#rest
    const limit = timesTheRest * rest.messages
    if (messages > limit * worthwhile) return false
    if (limit - messages < this.#window.messages * leastOfWindow) return false
    return bytes <= timesTheRest * rest.bytes * worthwhile
  }

  #heldBy(tenant: string): Held {
    return this.#of.get(tenant) ?? none
  }

  get #rest(): Held {
    return {
      messages: this.#window.messages - this.#all.messages,
      bytes: this.#window.bytes - this.#all.bytes,
    }
  }
}

const none: Held = { messages: 0, bytes: 0 }

function change(held: Held, messages: number, bytes: number): void {
  held.messages += messages
  held.bytes += bytes
}
