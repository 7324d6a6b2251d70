import { hash } from 'node:crypto'

/** 128 bits, as four numbers. */
const words = 4
const firstCapacity = 1024
const growth = 1.5

export type SubscriptionEntry = {
  /** Where the newest state is on the topic. */
  offset: number
  /** Null if the state is unreadable. */
  endpointId: string | null
  /** Epoch ms. */
  createdAt: number
  /** Whether the deliveries of a record leave one after another. */
  ordered: boolean
}

/** 49 bytes per subscription. */
function columnsOf(size: number) {
  return {
    /** A hash of the id. */
    key: new Uint32Array(size * words),
    /** All zero: unreadable. */
    endpoint: new Uint32Array(size * words),
    offset: new Float64Array(size),
    createdAt: new Float64Array(size),
    ordered: new Uint8Array(size),
  }
}

/**
 * What a process keeps of every subscription, in little memory: typed arrays outside the heap, and
 * a hash table with open addressing over them.
 */
export class SubscriptionTable {
  #columns = columnsOf(firstCapacity)
  #capacity = firstCapacity
  #size = 0
  /** Row + 1; 0 means free. */
  #slots = new Int32Array(2 * firstCapacity)
  readonly #wanted = new Uint32Array(words)

  get size(): number {
    return this.#size
  }

  find(id: string): SubscriptionEntry | undefined {
    const row = this.#rowOf(id)
    if (row < 0) return undefined
    const { offset, createdAt, ordered, endpoint } = this.#columns
    return {
      ordered: ordered[row] === 1,
      offset: offset[row] ?? 0,
      createdAt: createdAt[row] ?? 0,
      endpointId: textOf(endpoint, row * words),
    }
  }

  set(id: string, { offset, endpointId, createdAt, ordered }: SubscriptionEntry): void {
    let row = this.#rowOf(id)
    if (row < 0) {
      if (this.#size === this.#capacity) this.#grow()
      row = this.#size++
      this.#columns.key.set(this.#wanted, row * words)
      this.#slots[this.#slotOf(this.#wanted, 0)] = row + 1
    }
    this.#columns.offset[row] = offset
    this.#columns.createdAt[row] = createdAt
    this.#columns.ordered[row] = ordered ? 1 : 0
    write(endpointId, this.#columns.endpoint, row * words)
  }

  delete(id: string): void {
    const row = this.#rowOf(id)
    if (row < 0) return
    this.#free(this.#slotOf(this.#wanted, 0))
    const last = --this.#size
    if (row === last) return
    // The rows stay dense: the last one moves into the gap.
    this.#slots[this.#slotOf(this.#columns.key, last * words)] = row + 1
    const { key, endpoint, offset, createdAt, ordered } = this.#columns
    for (const all of [key, endpoint]) all.copyWithin(row * words, last * words, (last + 1) * words)
    for (const all of [offset, createdAt, ordered]) all.copyWithin(row, last, last + 1)
  }

  /**
   * True if a subscription delivers to the endpoint that existed at the time (epoch ms). Visits all
   * rows.
   */
  isAnyAt(endpointId: string, at: number): boolean {
    const wanted = new Uint32Array(words)
    write(endpointId, wanted, 0)
    const { endpoint, createdAt } = this.#columns
    for (let row = 0; row < this.#size; row++) {
      if (isSame(endpoint, row * words, wanted, 0) && (createdAt[row] ?? 0) <= at) return true
    }
    return false
  }

  /** Returns -1 if it is absent. `#wanted` has the key then. */
  #rowOf(id: string): number {
    write(hash('sha256', id).slice(0, 32), this.#wanted, 0)
    return (this.#slots[this.#slotOf(this.#wanted, 0)] ?? 0) - 1
  }

  /** Returns the slot of the key, or the free slot where it belongs. */
  #slotOf(keys: Uint32Array, at: number): number {
    const mask = this.#slots.length - 1
    for (let slot = (keys[at] ?? 0) & mask; ; slot = (slot + 1) & mask) {
      const row = (this.#slots[slot] ?? 0) - 1
      if (row < 0 || isSame(this.#columns.key, row * words, keys, at)) return slot
    }
  }

  /** Frees a slot, and moves those behind it that could not be found across the gap. */
  #free(slot: number): void {
    const mask = this.#slots.length - 1
    let gap = slot
    for (let next = (gap + 1) & mask; this.#slots[next] !== 0; next = (next + 1) & mask) {
      const row = (this.#slots[next] ?? 0) - 1
      const first = (this.#columns.key[row * words] ?? 0) & mask
      if (((next - first) & mask) < ((next - gap) & mask)) continue
      this.#slots[gap] = row + 1
      gap = next
    }
    this.#slots[gap] = 0
  }

  #grow(): void {
    const capacity = Math.ceil(growth * this.#capacity)
    const larger = columnsOf(capacity)
    for (const name of Object.keys(larger) as (keyof typeof larger)[]) {
      larger[name].set(this.#columns[name])
    }
    this.#columns = larger
    this.#capacity = capacity
    const slots = 2 ** Math.ceil(Math.log2(1.5 * capacity))
    if (slots === this.#slots.length) return
    this.#slots = new Int32Array(slots)
    for (let row = 0; row < this.#size; row++) {
      this.#slots[this.#slotOf(larger.key, row * words)] = row + 1
    }
  }
}

/** Writes 32 hexadecimal digits; zeros for null. */
function write(text: string | null, into: Uint32Array, at: number): void {
  for (let word = 0; word < words; word++) {
    into[at + word] = text === null ? 0 : Number.parseInt(text.slice(8 * word, 8 * word + 8), 16)
  }
}

function textOf(from: Uint32Array, at: number): string | null {
  const all = [...from.subarray(at, at + words)]
  if (all.every((word) => word === 0)) return null
  return all.map((word) => word.toString(16).padStart(8, '0')).join('')
}

function isSame(a: Uint32Array, atA: number, b: Uint32Array, atB: number): boolean {
  for (let word = 0; word < words; word++) if (a[atA + word] !== b[atB + word]) return false
  return true
}
