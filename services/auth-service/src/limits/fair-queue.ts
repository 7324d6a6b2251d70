/** A waiting item. `cost` is a whole number, at least 1. */
export type Entry<T> = { readonly item: T; readonly cost: number }

export type Placed<T> = {
  /** False if the item found no room. */
  readonly admitted: boolean
  /** Items that were removed to make room for the new one. */
  readonly evicted: readonly T[]
}

/**
 * The names of nested lines, outermost first: `[tenant, network]`. All paths of one queue have the
 * same length.
 */
export type LinePath = readonly string[]

/**
 * A queue of nested lines. They share one room and are served in turn, one unit of cost per turn.
 *
 * - The total cost of waiting items never exceeds the room. A line may fill half the room of the
 *   line around it, and may always hold one item.
 * - If there is no room, a new item evicts the newest items of the longest line, if that line is
 *   longer than the new item's own line becomes. Heavy senders therefore make room for light ones.
 */
export class FairQueue<T> {
  readonly #root = new Line<T>()

  /** The total cost of the waiting items. */
  get waiting(): number {
    return this.#root.waiting
  }

  /** True if `push` admits such an item now. */
  hasRoom(path: LinePath, cost: number, room: number): boolean {
    return this.#root.hasRoom(path, cost, room)
  }

  /** Appends the item to its line, if there is room for it. */
  push(path: LinePath, entry: Entry<T>, room: number): Placed<T> {
    if (!this.hasRoom(path, entry.cost, room)) return { admitted: false, evicted: [] }
    const evicted = this.#root.push(path, entry, room)
    return { admitted: true, evicted: evicted.map(({ item }) => item) }
  }

  /**
   * Removes and returns the next item. An item that costs more than the budget blocks the items
   * behind it until the budget suffices.
   */
  next(budget: number): T | undefined {
    if (this.#root.waiting === 0 || this.#root.first().cost > budget) return undefined
    return this.#root.shift().item
  }

  /** Removes an item from its line. Does nothing if the item is not there. */
  remove(path: LinePath, item: T): void {
    this.#root.remove(path, item)
  }
}

/** The innermost lines hold entries; the others hold lines. */
class Line<T> {
  /** The total cost of the items in the line. */
  waiting = 0
  /** How many turns the line has to skip: an item of more than one unit used them in advance. */
  debt = 0
  readonly #entries: Entry<T>[] = []
  /** The next line to serve comes first. */
  readonly #lines = new Map<string, Line<T>>()

  hasRoom([name, ...inner]: LinePath, cost: number, room: number): boolean {
    const fits = this.waiting + cost <= room
    if (name === undefined) return fits
    const own = this.#lines.get(name)
    const ownWaiting = own?.waiting ?? 0
    if (!fits && ownWaiting + cost >= this.#longest()) return false
    return own === undefined || ownWaiting === 0 || own.hasRoom(inner, cost, room / 2)
  }

  /** Call it after `hasRoom`. Returns the evicted entries. */
  push([name, ...inner]: LinePath, entry: Entry<T>, room: number): Entry<T>[] {
    this.waiting += entry.cost
    if (name === undefined) {
      this.#entries.push(entry)
      return []
    }
    const own = this.#lines.get(name) ?? new Line<T>()
    this.#lines.set(name, own)
    const evicted = own.push(inner, entry, room / 2)
    for (const { cost } of evicted) this.waiting -= cost
    while (this.waiting > room) {
      const newest = this.#evictBeside(name)
      if (newest === undefined) break
      this.waiting -= newest.cost
      evicted.push(newest)
    }
    return evicted
  }

  /** The entry that `shift` removes. */
  first(): Entry<T> {
    return this.#entries[0] ?? this.#lineOfTurn()[1].first()
  }

  shift(): Entry<T> {
    const entry = this.#entries.shift() ?? this.#shiftInTurn()
    this.waiting -= entry.cost
    return entry
  }

  /** Returns the cost of the removed entry, 0 if there was none. */
  remove([name, ...inner]: LinePath, item: T): number {
    const line = name === undefined ? undefined : this.#lines.get(name)
    const cost = line === undefined ? this.#removeEntry(item) : line.remove(inner, item)
    this.waiting -= cost
    if (name !== undefined && line?.waiting === 0) this.#lines.delete(name)
    return cost
  }

  #removeEntry(item: T): number {
    const at = this.#entries.findIndex((entry) => entry.item === item)
    return at === -1 ? 0 : (this.#entries.splice(at, 1)[0]?.cost ?? 0)
  }

  #shiftInTurn(): Entry<T> {
    const [name, line] = this.#lineOfTurn()
    const entry = line.shift()
    line.debt += entry.cost - 1
    this.#toTheEnd(name, line)
    return entry
  }

  #lineOfTurn(): [string, Line<T>] {
    for (;;) {
      const [first] = this.#lines
      if (first === undefined) throw new Error('Nothing waits in this line')
      const [name, line] = first
      if (line.debt === 0 && line.waiting > 0) return first
      line.debt = Math.max(0, line.debt - 1)
      this.#toTheEnd(name, line)
    }
  }

  /** An empty line stays until its debt is paid; otherwise it could return without the debt. */
  #toTheEnd(name: string, line: Line<T>): void {
    this.#lines.delete(name)
    if (line.waiting > 0 || line.debt > 0) this.#lines.set(name, line)
  }

  /**
   * Evicts the newest item of the longest line other than `kept`, and inside it from the longest
   * inner line.
   */
  #evictBeside(kept: string | null): Entry<T> | undefined {
    const others = [...this.#lines].filter(([name, { waiting }]) => name !== kept && waiting > 0)
    const [first, ...rest] = others
    if (first === undefined) return undefined
    const longest = rest.reduce((a, b) => (b[1].waiting > a[1].waiting ? b : a), first)
    const [name, line] = longest
    const entry = line.#evict()
    if (line.waiting === 0) this.#lines.delete(name)
    return entry
  }

  #evict(): Entry<T> | undefined {
    const entry = this.#entries.pop() ?? this.#evictBeside(null)
    this.waiting -= entry?.cost ?? 0
    return entry
  }

  #longest(): number {
    return Math.max(0, ...[...this.#lines.values()].map(({ waiting }) => waiting))
  }
}
