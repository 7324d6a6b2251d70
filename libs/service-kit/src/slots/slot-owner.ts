/** One caller that waits for slots. */
export type Waiter = {
  readonly owner: SlotOwner
  /** How many slots it asks for. */
  readonly slots: number
  /** How many turns it uses up, and how much of the waiting room it fills. */
  readonly weight: number
  readonly grant: () => void
  readonly refuse: () => void
}

/** Limits a number of slots: for all owners together, and for each. */
export type Room = { readonly all: number; readonly each: number }

/**
 * An owner of slots, which takes turns with the owners beside it. Owners nest: a project has networks
 * of clients, and each network has waiters. The slots that an owner holds and wants also count for
 * the owners around it.
 */
export class SlotOwner {
  /** The slots that it has now. */
  held = 0
  /** The weight of its waiters: by default the slots that they ask for. */
  wanted = 0
  /** Among owners that hold equally many slots, the lowest turn is next. */
  #turn = 0
  /** The highest turn that an inner owner has had. */
  #lastTurn = 0
  readonly #name: string
  readonly #around: SlotOwner | null
  // Most owners come and go without inner owners and waiters, so these are made when needed.
  #inner: Map<string, SlotOwner> | null = null
  /** The inner owners that wait or are in debt. The one that was served longest ago is first. */
  #queue: Set<SlotOwner> | null = null
  /** Only the innermost owners have some. */
  #waiters: Waiter[] | null = null

  constructor(name = '', around: SlotOwner | null = null) {
    this.#name = name
    this.#around = around
  }

  /** The owner around it that `Room.each` limits. */
  get outermost(): SlotOwner {
    const around = this.#around
    return around === null || around.#around === null ? this : around.outermost
  }

  innerOf(name: string): SlotOwner {
    this.#inner ??= new Map()
    const known = this.#inner.get(name)
    if (known !== undefined) return known
    const inner = new SlotOwner(name, this)
    this.#inner.set(name, inner)
    return inner
  }

  /** Takes slots, or frees them. The owner is forgotten once it holds and wants nothing. */
  hold(slots: number): void {
    this.held += slots
    this.#settle()
    this.#around?.hold(slots)
  }

  push(waiter: Waiter): void {
    this.#waiters ??= []
    this.#waiters.push(waiter)
    this.#want(waiter.weight)
  }

  /** Does nothing if it no longer waits. */
  remove(waiter: Waiter): void {
    const at = this.#waiters?.indexOf(waiter) ?? -1
    if (at === -1) return
    this.#waiters?.splice(at, 1)
    this.#want(-waiter.weight)
  }

  /** Gives the waiter its slots. */
  serve(waiter: Waiter): void {
    this.#takeTurn(waiter)
    this.remove(waiter)
  }

  /** The waiter to serve next: of the owner with the fewest slots, and in turn among equals. */
  next(mostOfEach = Number.POSITIVE_INFINITY): Waiter | undefined {
    const mine = this.#waiters?.[0]
    if (mine !== undefined || this.#queue === null) return mine
    let next: Waiter | undefined
    let owner: SlotOwner | undefined
    for (const inner of this.#queue) {
      if (inner.wanted === 0) inner.#settle()
      const first = inner.#isBefore(owner) ? inner.next() : undefined
      if (first === undefined || inner.held + first.slots > mostOfEach) continue
      next = first
      owner = inner
      // No owner can come before this one, so the rest of a long queue need not be read.
      if (inner.held === 0 && inner.#turn <= this.#lastTurn) break
    }
    return next
  }

  /** The slots that inner owners below this limit wait for. */
  wantedBelow(mostOfEach: number): number {
    let wanted = 0
    for (const inner of this.#queue ?? []) if (inner.held < mostOfEach) wanted += inner.wanted
    return wanted
  }

  /**
   * True if another waiter may join. An owner may fill half the room of the owner around it, and may
   * always have one waiter. In a full room a waiter may replace one of an owner that wants more.
   */
  hasRoom(weight: number, waiting: Room, inner?: SlotOwner): boolean {
    const around = this.#around
    const mayJoin =
      this.wanted + weight <= this.#shareOf(waiting) ||
      (around !== null && this.wanted === 0) ||
      (inner !== undefined && inner.wanted + weight < (this.#mostWanting()?.wanted ?? 0))
    return mayJoin && (around === null || around.hasRoom(weight, waiting, this))
  }

  /** Removes and returns the newest waiters of other owners until the rest fits into the room. */
  evict(waiting: Room, inner?: SlotOwner): Waiter[] {
    const evicted: Waiter[] = []
    while (this.wanted > this.#shareOf(waiting)) {
      const newest = this.#mostWanting(inner)?.newest()
      if (newest === undefined) break
      newest.owner.remove(newest)
      evicted.push(newest)
    }
    return this.#around === null ? evicted : [...evicted, ...this.#around.evict(waiting, this)]
  }

  #shareOf(waiting: Room): number {
    const around = this.#around
    if (around === null) return waiting.all
    return around.#around === null ? waiting.each : around.#shareOf(waiting) / 2
  }

  #mostWanting(beside?: SlotOwner): SlotOwner | undefined {
    let most: SlotOwner | undefined
    for (const inner of this.#queue ?? []) {
      if (inner !== beside && inner.wanted > (most?.wanted ?? 0)) most = inner
    }
    return most
  }

  /** The caller that came last to the owner that waits for most. */
  newest(): Waiter | undefined {
    return this.#waiters?.at(-1) ?? this.#mostWanting()?.newest()
  }

  #isBefore(other: SlotOwner | undefined): boolean {
    if (other === undefined) return true
    return this.held < other.held || (this.held === other.held && this.#turn < other.#turn)
  }

  #want(weight: number): void {
    const around = this.#around
    if (this.wanted === 0 && around !== null) {
      this.#turn = Math.max(this.#turn, around.#lastTurn + 1)
      around.#queue ??= new Set()
      around.#queue.add(this)
    }
    this.wanted += weight
    this.#settle()
    if (around !== null) around.#want(weight)
  }

  /** An owner that gets several slots at once, or a heavy one, uses up as many turns. */
  #takeTurn(served: Pick<Waiter, 'slots' | 'weight'>): void {
    this.held += served.slots
    const around = this.#around
    if (around === null) return
    around.#lastTurn = Math.max(around.#lastTurn, this.#turn)
    this.#turn += served.weight
    around.#queue?.delete(this)
    around.#queue?.add(this)
    around.#takeTurn(served)
  }

  /**
   * Leaves the queue if it wants nothing, and is forgotten if it holds nothing either. An owner that
   * has used later turns in advance stays: otherwise it could return without the debt.
   */
  #settle(): void {
    const around = this.#around
    if (around === null || this.wanted > 0 || this.#turn > around.#lastTurn + 1) return
    around.#queue?.delete(this)
    if (this.held === 0) around.#inner?.delete(this.#name)
  }
}
