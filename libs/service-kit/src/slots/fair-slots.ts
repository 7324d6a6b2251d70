import { unavailable } from '../errors.ts'
import { type Room, SlotOwner, type Waiter } from './slot-owner.ts'

/**
 * The most slots taken at once: in all, and by each owner. `free`: an owner may have as many as are
 * free. So one owner gets half of all, two get a third each, and a newcomer always finds some: the
 * dynamic thresholds of Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory
 * packet switches" (1998), with a factor of 1.
 */
export type SlotRoom = { all: number; each: number | 'free' }

export type FairSlotsOptions = {
  room: Partial<SlotRoom>
  /** The most slots waited for. Any number by default. */
  waiting?: Partial<Room> | (() => Room)
  /** By default a caller waits until it gets a slot or its signal aborts. */
  maxWaitMs?: number
  /** The error of a caller that finds no room to wait, or has waited for too long. */
  refusal?: (reason: Refusal) => Error
}

export type Refusal = 'crowded' | 'late'

/** Disposing frees the slot. Disposing again does nothing. */
export type Slot = Disposable

/**
 * A name, or the names of nested owners, outermost first: `[project, network]`. All owners of one
 * `FairSlots` nest equally deep.
 */
export type OwnerName = string | readonly string[]

export type TakeOptions = {
  /** How many slots to take at once, 1 by default. A caller that asks for too many takes all. */
  slots?: number
  /**
   * How many turns the work uses up, and how much of the waiting room: for work that takes longer
   * than that of others. By default the number of slots.
   */
  weight?: number
  signal?: AbortSignal | undefined
}

/**
 * Limits concurrent work. Callers hold at most `room.all` slots, and those of one owner at most
 * `room.each`. Other callers wait.
 *
 * - A freed slot goes to the owner that holds the fewest. Equal owners take turns, one slot a turn.
 * - The callers of one owner get slots in order of arrival. A caller that needs several slots keeps
 *   later callers waiting until it has them.
 * - If `waiting` is full, a new caller replaces the newest caller of the owner that waits for most.
 *   It is refused if its own owner would wait for as many.
 */
export class FairSlots {
  readonly #room: SlotRoom
  readonly #waiting: (() => Room) | null
  readonly #maxWaitMs: number | undefined
  readonly #refusal: (reason: Refusal) => Error
  readonly #root = new SlotOwner()
  #callers = 0
  /** True while the next caller needs more slots than are free. */
  #isBlocked = false

  constructor({ room, waiting, maxWaitMs, refusal = refusalOf }: FairSlotsOptions) {
    this.#room = roomOf(room)
    this.#waiting = typeof waiting === 'function' ? waiting : waiting ? () => roomOf(waiting) : null
    this.#maxWaitMs = maxWaitMs
    this.#refusal = refusal
  }

  /** The number of slots that are taken. */
  get taken(): number {
    return this.#root.held
  }

  /** The number of callers that wait. */
  get waiting(): number {
    return this.#callers
  }

  /** How many slots are waited for only because other owners have taken all. */
  get starving(): number {
    return this.taken < this.#room.all ? 0 : this.#root.wantedBelow(this.#each)
  }

  /** True if the owner has taken as many slots as one owner may. */
  isAtLimit(name: OwnerName): boolean {
    return this.#ask(name, (owner) => owner.outermost.held >= this.#each)
  }

  /** Throws the refusal if `take` would reject with it now. */
  assertRoom(name: OwnerName): void {
    const hasRoom = this.#ask(name, (owner) => this.#isFree(owner, 1) || this.#mayWait(owner, 1))
    if (!hasRoom) throw this.#refusal('crowded')
  }

  /** Returns `null` if the caller would have to wait. */
  tryTake(name: OwnerName, slots = 1): Slot | null {
    const owner = this.#ownerOf(name)
    const count = this.#atMost(slots)
    const isFree = this.#isFree(owner, count)
    owner.hold(isFree ? count : 0)
    return isFree ? this.#slotOf(owner, count) : null
  }

  /** Rejects with the refusal, or with the reason of the signal. */
  async take(
    name: OwnerName,
    { slots = 1, weight = slots, signal }: TakeOptions = {},
  ): Promise<Slot> {
    signal?.throwIfAborted()
    return (
      this.tryTake(name, slots) ?? this.#wait(name, { slots: this.#atMost(slots), weight, signal })
    )
  }

  /** Does the work while it holds a slot. */
  async run<T>(name: OwnerName, work: () => Promise<T> | T, options: TakeOptions = {}): Promise<T> {
    options.signal?.throwIfAborted()
    using _slot = this.tryTake(name, options.slots) ?? (await this.take(name, options))
    return await work()
  }

  async #wait(name: OwnerName, { slots, weight, signal }: Required<TakeOptions>): Promise<Slot> {
    if (!this.#ask(name, (owner) => this.#mayWait(owner, weight))) throw this.#refusal('crowded')
    const owner = this.#ownerOf(name)
    const { promise, resolve, reject } = Promise.withResolvers<Slot>()
    const waiter: Waiter = {
      owner,
      slots,
      weight,
      grant: () => resolve(this.#slotOf(owner, slots)),
      refuse: () => reject(this.#refusal('crowded')),
    }
    const leave = (reason: unknown) => {
      owner.remove(waiter)
      reject(reason)
      this.#serveNext()
    }
    const onLate = () => leave(this.#refusal('late'))
    const onAbort = () => leave(signal?.reason)
    const timer = this.#maxWaitMs === undefined ? undefined : setTimeout(onLate, this.#maxWaitMs)
    signal?.addEventListener('abort', onAbort, { once: true })
    this.#callers += 1
    this.#join(waiter)
    try {
      return await promise
    } finally {
      this.#callers -= 1
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
  }

  #join(waiter: Waiter): void {
    waiter.owner.push(waiter)
    // Nobody leaves for a caller that need not wait.
    this.#serveNext()
    const waiting = this.#waiting?.()
    const evicted = waiting ? waiter.owner.evict(waiting) : []
    for (const { refuse } of evicted) refuse()
    this.#serveNext()
  }

  #serveNext(): void {
    while (this.#root.wanted > 0 && this.#root.held < this.#room.all) {
      const next = this.#root.next(this.#each)
      this.#isBlocked = next !== undefined && this.#root.held + next.slots > this.#room.all
      if (next === undefined || this.#isBlocked) return
      next.owner.serve(next)
      next.grant()
    }
    this.#isBlocked = false
  }

  #slotOf(owner: SlotOwner, slots: number): Slot {
    let isTaken = true
    return {
      [Symbol.dispose]: () => {
        if (!isTaken) return
        isTaken = false
        owner.hold(-slots)
        this.#serveNext()
      },
    }
  }

  /** A newcomer passes waiting callers only if all of them are at the limits of other owners. */
  #isFree({ outermost }: SlotOwner, slots: number): boolean {
    if (this.#isBlocked || outermost.wanted > 0) return false
    return this.#root.held + slots <= this.#room.all && outermost.held + slots <= this.#each
  }

  /** The most slots of one owner now. */
  get #each(): number {
    const { all, each } = this.#room
    return each === 'free' ? all - this.#root.held : each
  }

  #mayWait(owner: SlotOwner, weight: number): boolean {
    const waiting = this.#waiting?.()
    return waiting === undefined || owner.hasRoom(weight, waiting)
  }

  #atMost(slots: number): number {
    const { all, each } = this.#room
    return Math.min(slots, all, each === 'free' ? Math.ceil(all / 2) : each)
  }

  #ownerOf(name: OwnerName): SlotOwner {
    if (typeof name === 'string') return this.#root.innerOf(name)
    return name.reduce((around, inner) => around.innerOf(inner), this.#root)
  }

  /** Answers a question about an owner, and forgets the owner if it is unknown. */
  #ask<T>(name: OwnerName, question: (owner: SlotOwner) => T): T {
    const owner = this.#ownerOf(name)
    const answer = question(owner)
    owner.hold(0)
    return answer
  }
}

function roomOf<Each>(room: { all?: number; each?: number | Each }) {
  const { all = Number.POSITIVE_INFINITY, each = all } = room
  return { all, each }
}

const refusalOf = (reason: Refusal): Error =>
  unavailable(reason === 'late' ? 'no slot became free in time' : 'too many wait for a slot')
