/** An item that waits, and what serving it costs: a whole number, at least 1. */
export type Entry<T> = { readonly item: T; readonly cost: number }

export type Placed<T> = {
  /** False: the item found no room. */
  readonly admitted: boolean
  /** The items that gave up their places to the new one. They are no longer in the queue. */
  readonly evicted: readonly T[]
}

/** Names a line, from the outermost one inwards: `[tenant, network]`. All paths of a queue have the same length. */
export type LinePath = readonly string[]

/**
 * Lines within lines. They share one room and are served in turn, one unit of cost per turn.
 *
 * - What waits never costs more than the room. A line may fill half the room of the line around it, and may hold one
 *   item in any case.
 * - Where there is no room, a new item evicts the newest items of the longest line, if that line is longer than the
 *   item's own line becomes: who sends much makes room for who sends little.
 */
export class FairQueue<T> {
  readonly #root = new Line<T>()

  /** The cost of all items that wait. */
  get waiting(): number {
    return this.#root.waiting
  }

  /** Whether `push` admits such an item now. */
  hasRoom(path: LinePath, cost: number, room: number): boolean {
    return this.#root.hasRoom(path, cost, room)
  }

  /** Appends the item to its line, if there is room for it. */
  push(path: LinePath, entry: Entry<T>, room: number): Placed<T> {
    if (!this.hasRoom(path, entry.cost, room)) return { admitted: false, evicted: [] }
    const evicted = this.#root.push(path, entry, room)
    return { admitted: true, evicted: evicted.map(({ item }) => item) }
  }

  /** Takes out the item whose turn it is. A costly one is not overtaken while it waits for its budget. */
  next(budget: number): T | undefined {
    if (this.#root.waiting === 0 || this.#root.first().cost > budget) return undefined
    return this.#root.shift().item
  }

  /** Takes an item out of its line. Does nothing when the item is not there. */
  remove(path: LinePath, item: T): void {
    this.#root.remove(path, item)
  }
}

/** The innermost lines have entries, the others have lines. */
class Line<T> {
  /** The cost of all items in it. */
  waiting = 0
  /** How many turns it has to let pass: an item that cost more than one unit took them in advance. */
  debt = 0
  readonly #entries: Entry<T>[] = []
  /** In the order of their turns. */
  readonly #lines = new Map<string, Line<T>>()

  hasRoom([name, ...inner]: LinePath, cost: number, room: number): boolean {
    const fits = this.waiting + cost <= room
    if (name === undefined) return fits
    const own = this.#lines.get(name)
    const ownWaiting = own?.waiting ?? 0
    if (!fits && ownWaiting + cost >= this.#longest()) return false
    return own === undefined || ownWaiting === 0 || own.hasRoom(inner, cost, room / 2)
  }

  /** Call it after `hasRoom`. Returns what was evicted. */
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

  /** The entry that `shift` takes out. */
  first(): Entry<T> {
    return this.#entries[0] ?? this.#lineOfTurn()[1].first()
  }

  shift(): Entry<T> {
    const entry = this.#entries.shift() ?? this.#shiftInTurn()
    this.waiting -= entry.cost
    return entry
  }

  /** Returns the cost of what was removed. */
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

  /** A line that is empty stays until it has paid its debt: it must not come back without. */
  #toTheEnd(name: string, line: Line<T>): void {
    this.#lines.delete(name)
    if (line.waiting > 0 || line.debt > 0) this.#lines.set(name, line)
  }

  /** The newest item of the longest line but one, and there of the longest line inside. */
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
