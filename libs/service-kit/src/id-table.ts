import { hash } from 'node:crypto'

/** 128 bits, as four numbers. */
const words = 4
const firstCapacity = 1024
const growth = 1.5

/**
 * Gives each id a row number, in 24 to 36 bytes per id: hashes of the ids in a typed array outside
 * the heap, and a hash table with open addressing over them. An id keeps its row until it is
 * deleted. Another id then gets the row.
 */
export class IdTable {
  #keys = new Uint32Array(firstCapacity * words)
  /** Row + 1; 0 means free. */
  #slots = new Int32Array(2 * firstCapacity)
  readonly #freeRows: number[] = []
  readonly #wanted = new Uint32Array(words)
  #end = 0

  /** Number of ids. */
  get size(): number {
    return this.#end - this.#freeRows.length
  }

  /** All rows are lower than this number. It never falls. */
  get end(): number {
    return this.#end
  }

  /** Returns -1 if the id is absent. */
  find(id: string): number {
    this.#want(id)
    return (this.#slots[this.#slotOf(this.#wanted, 0)] ?? 0) - 1
  }

  /** Returns the row of the id, which may be new. */
  add(id: string): number {
    const known = this.find(id)
    if (known >= 0) return known
    if (this.#end * words === this.#keys.length && this.#freeRows.length === 0) this.#grow()
    const row = this.#freeRows.pop() ?? this.#end++
    this.#keys.set(this.#wanted, row * words)
    this.#slots[this.#slotOf(this.#wanted, 0)] = row + 1
    return row
  }

  /** Returns the row that the id had, or -1. */
  delete(id: string): number {
    const row = this.find(id)
    if (row < 0) return row
    this.#free(this.#slotOf(this.#wanted, 0))
    this.#freeRows.push(row)
    return row
  }

  #want(id: string): void {
    writeHex(hash('sha256', id).slice(0, 8 * words), this.#wanted, 0)
  }

  /** Returns the slot of the key, or the free slot where it belongs. */
  #slotOf(keys: Uint32Array, at: number): number {
    const mask = this.#slots.length - 1
    for (let slot = (keys[at] ?? 0) & mask; ; slot = (slot + 1) & mask) {
      const row = (this.#slots[slot] ?? 0) - 1
      if (row < 0 || isSameKey(this.#keys, row * words, keys, at)) return slot
    }
  }

  /** Frees a slot, and moves those behind it that could not be found across the gap. */
  #free(slot: number): void {
    const mask = this.#slots.length - 1
    let gap = slot
    for (let next = (gap + 1) & mask; this.#slots[next] !== 0; next = (next + 1) & mask) {
      const row = (this.#slots[next] ?? 0) - 1
      const first = (this.#keys[row * words] ?? 0) & mask
      if (((next - first) & mask) < ((next - gap) & mask)) continue
      this.#slots[gap] = row + 1
      gap = next
    }
    this.#slots[gap] = 0
  }

  #grow(): void {
    const capacity = Math.ceil(growth * this.#end)
    this.#keys = withRoom(this.#keys, capacity * words)
    const slots = 2 ** Math.ceil(Math.log2(1.5 * capacity))
    if (slots === this.#slots.length) return
    const filled = this.#slots.filter((slot) => slot > 0)
    this.#slots = new Int32Array(slots)
    for (const slot of filled) this.#slots[this.#slotOf(this.#keys, (slot - 1) * words)] = slot
  }
}

type Column = Uint8Array | Uint32Array | Float64Array

/** Returns the column if it has the length, else a longer copy, filled with zeros. */
export function withRoom<T extends Column>(column: T, length: number): T {
  if (length <= column.length) return column
  const longer = new (column.constructor as new (length: number) => T)(length)
  longer.set(column)
  return longer
}

/** The length to which a column grows that has no room for the row. */
export const grownLength = (row: number): number => Math.ceil(growth * (row + 1))

/** Writes 32 hexadecimal digits; zeros for null. */
export function writeHex(text: string | null, into: Uint32Array, at: number): void {
  for (let word = 0; word < words; word++) {
    into[at + word] = text === null ? 0 : Number.parseInt(text.slice(8 * word, 8 * word + 8), 16)
  }
}

export function isSameKey(a: Uint32Array, atA: number, b: Uint32Array, atB: number): boolean {
  for (let word = 0; word < words; word++) if (a[atA + word] !== b[atB + word]) return false
  return true
}
