import { grownLength, IdTable, isSameKey, withRoom, writeHex } from '@surehook/service-kit/id-table'

/** An endpoint's id has 128 bits, as four numbers. */
const words = 4

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

/** What a process keeps of every subscription, in little memory: 33 bytes, and its row. */
export class SubscriptionTable {
  readonly #ids = new IdTable()
  /** All zero: unreadable, or deleted. */
  #endpoint = new Uint32Array(0)
  #offset = new Float64Array(0)
  #createdAt = new Float64Array(0)
  #ordered = new Uint8Array(0)

  get size(): number {
    return this.#ids.size
  }

  find(id: string): SubscriptionEntry | undefined {
    const row = this.#ids.find(id)
    if (row < 0) return undefined
    return {
      ordered: this.#ordered[row] === 1,
      offset: this.#offset[row] ?? 0,
      createdAt: this.#createdAt[row] ?? 0,
      endpointId: textOf(this.#endpoint, row * words),
    }
  }

  set(id: string, { offset, endpointId, createdAt, ordered }: SubscriptionEntry): void {
    const row = this.#ids.add(id)
    if (row >= this.#offset.length) this.#grow(grownLength(row))
    this.#offset[row] = offset
    this.#createdAt[row] = createdAt
    this.#ordered[row] = ordered ? 1 : 0
    writeHex(endpointId, this.#endpoint, row * words)
  }

  delete(id: string): void {
    const row = this.#ids.delete(id)
    if (row >= 0) writeHex(null, this.#endpoint, row * words)
  }

  /**
   * True if a subscription delivers to the endpoint that existed at the time (epoch ms). Visits all
   * rows.
   */
  isAnyAt(endpointId: string, at: number): boolean {
    const wanted = new Uint32Array(words)
    writeHex(endpointId, wanted, 0)
    for (let row = 0; row < this.#ids.end; row++) {
      const isOfEndpoint = isSameKey(this.#endpoint, row * words, wanted, 0)
      if (isOfEndpoint && (this.#createdAt[row] ?? 0) <= at) return true
    }
    return false
  }

  #grow(rows: number): void {
    this.#endpoint = withRoom(this.#endpoint, rows * words)
    this.#offset = withRoom(this.#offset, rows)
    this.#createdAt = withRoom(this.#createdAt, rows)
    this.#ordered = withRoom(this.#ordered, rows)
  }
}

function textOf(from: Uint32Array, at: number): string | null {
  const all = [...from.subarray(at, at + words)]
  if (all.every((word) => word === 0)) return null
  return all.map((word) => word.toString(16).padStart(8, '0')).join('')
}
