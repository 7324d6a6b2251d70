type HeapEntry = { arrival: number; gone?: boolean }

/** Entries by arrival, lowest first. Entries marked as gone are skipped. */
export class MinHeap<T extends HeapEntry> {
  readonly #entries: T[] = []

  /** Returns the first entry. */
  peek(): T | undefined {
    while (this.#entries[0]?.gone) this.#removeFirst()
    return this.#entries[0]
  }

  push(entry: T): void {
    let at = this.#entries.push(entry) - 1
    while (at > 0) {
      const parent = (at - 1) >>> 1
      if (this.#arrivalAt(parent) <= entry.arrival) break
      this.#entries[at] = this.#entries[parent] as T
      at = parent
    }
    this.#entries[at] = entry
  }

  pop(): T | undefined {
    const first = this.peek()
    if (first !== undefined) this.#removeFirst()
    return first
  }

  #removeFirst(): void {
    const last = this.#entries.pop()
    const size = this.#entries.length
    if (last === undefined || size === 0) return
    let at = 0
    for (let child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && this.#arrivalAt(child + 1) < this.#arrivalAt(child)) child++
      if (this.#arrivalAt(child) >= last.arrival) break
      this.#entries[at] = this.#entries[child] as T
      at = child
    }
    this.#entries[at] = last
  }

  #arrivalAt(index: number): number {
    return (this.#entries[index] as T).arrival
  }
}
