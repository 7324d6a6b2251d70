/** The ranges of finished offsets need most of the commit's metadata. */
const mostBytes = 880
const leastBytes = 16
/** Ten bits give about 1 % false positives while there is room. */
const bitsEach = 10
const version = 1
const headBytes = 8

/** A Bloom filter: it recognises every added subscription, and a few others by mistake. */
class Filter {
  readonly bits: Uint8Array
  readonly hashes: number

  constructor(bits: Uint8Array, hashes: number) {
    this.bits = bits
    this.hashes = hashes
  }

  static for(count: number): Filter {
    const bytes = Math.min(mostBytes, Math.max(leastBytes, Math.ceil((count * bitsEach) / 8)))
    const best = Math.round(((bytes * 8) / Math.max(1, count)) * Math.LN2)
    return new Filter(new Uint8Array(bytes), Math.min(7, Math.max(1, best)))
  }

  add(id: string): void {
    for (const bit of this.#bitsOf(id)) this.bits[bit >>> 3] = this.#byte(bit) | (1 << (bit & 7))
  }

  has(id: string): boolean {
    return this.#bitsOf(id).every((bit) => (this.#byte(bit) & (1 << (bit & 7))) !== 0)
  }

  #byte(bit: number): number {
    return this.bits[bit >>> 3] as number
  }

  #bitsOf(id: string): number[] {
    const first = hash(id, 0x811c9dc5)
    const second = hash(id, 0x9747b28c) | 1
    const size = this.bits.length * 8
    return Array.from({ length: this.hashes }, (_, nth) => ((first + nth * second) >>> 0) % size)
  }
}

/** Ids of subscriptions. Some may come twice. */
export type Subscriptions = { size: number; keys(): Iterable<string> }

/**
 * Which subscriptions may have paused deliveries. It is stored in the commits of the paused topic,
 * with the offset below which it is valid. Before others start, the next owner therefore reads only
 * what is above that offset.
 */
export class PausedSummary {
  /** The offset of the previous owner's note; `null` if there was no readable one. */
  readonly upTo: number | null
  /** The filter of the previous owner's note. */
  readonly #before: Filter
  #filter: Filter
  /** Until everything is known again, the filter cannot be rebuilt. */
  #isComplete = false
  #added = 0
  #gone = 0
  #room = 0

  constructor(note: Uint8Array | null) {
    const found = note === null ? null : decode(note)
    this.upTo = found?.upTo ?? null
    this.#before = found?.filter ?? Filter.for(0)
    this.#filter = new Filter(Uint8Array.from(this.#before.bits), this.#before.hashes)
  }

  /** Returns whether the subscription may have paused deliveries below `upTo`. */
  mayHave(subscriptionId: string): boolean {
    return this.#before.has(subscriptionId)
  }

  add(subscriptionId: string): void {
    this.#added++
    this.#filter.add(subscriptionId)
  }

  removed(): void {
    this.#gone++
  }

  /** Call it when all paused deliveries are known. */
  complete(): void {
    this.#isComplete = true
    this.#gone = Number.POSITIVE_INFINITY
  }

  /**
   * @param upTo every paused delivery below this offset was added
   * @param all the subscriptions with paused deliveries
   */
  note(upTo: number, all: Subscriptions): Uint8Array | null {
    if (!this.#isComplete && this.upTo === null) return null
    const isFull = this.#added > this.#room && this.#filter.bits.length < mostBytes
    if (this.#isComplete && (isFull || this.#gone > 64 + all.size)) this.#renew(all)
    const { bits, hashes } = this.#filter
    const note = Buffer.alloc(headBytes + bits.length)
    note[0] = version
    note[1] = hashes
    note.writeUIntBE(upTo, 2, 6)
    note.set(bits, headBytes)
    return note
  }

  #renew(all: Subscriptions): void {
    this.#room = Math.max(64, 2 * all.size)
    this.#filter = Filter.for(this.#room)
    for (const id of all.keys()) this.#filter.add(id)
    this.#added = all.size
    this.#gone = 0
  }
}

function decode(note: Uint8Array): { upTo: number; filter: Filter } | null {
  const bytes = Buffer.from(note)
  const hashes = bytes[1] ?? 0
  if (bytes[0] !== version || bytes.length <= headBytes || hashes === 0) return null
  return { upTo: bytes.readUIntBE(2, 6), filter: new Filter(bytes.subarray(headBytes), hashes) }
}

/** FNV-1a with 32 bits. It must not change, because the next owner may run another version. */
function hash(text: string, basis: number): number {
  let value = basis
  for (let at = 0; at < text.length; at++) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  }
  value ^= value >>> 15
  return value >>> 0
}
