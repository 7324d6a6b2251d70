import type { DeliveryStatus } from '@surehook/contracts/events'
import { readUuid, type ShortId, uuidBytes, writeUuid } from './uuid-bytes.ts'

/** Why a delivery is in the table. `unexplained`: no change of the span causes it. */
export const kinds = ['matched', 'asked', 'unexplained', 'unverified', 'foreign'] as const
export type Kind = (typeof kinds)[number]

/** Where an unfinished job is. */
export const openPlaces = ['pending', 'retrying', 'paused'] as const
export type OpenPlace = (typeof openPlaces)[number]

export const ends = ['delivered', 'dead_letter', 'cancelled'] as const satisfies DeliveryStatus[]
export type End = (typeof ends)[number]

/** The facts about one delivery. */
export type DeliveryFacts = {
  kind: Kind
  /** The index of its subscription. */
  subscription: number
  /** True if the matcher has committed the change. */
  isDue: boolean
  /** True if the matcher may not have known the subscription's state when it read the change. */
  isUncertain: boolean
  /** True if any job or transition of it was read. */
  wasMade: boolean
  /** True if it is on the dead-letter topic. */
  hasLetter: boolean
  open: OpenPlace | null
  /** Its newest final status. */
  end: End | null
  /** True if a process that no longer owned it published a transition after its end. */
  endSuperseded: boolean
  endedTwice: boolean
}

export type PublishedTransition = { status: DeliveryStatus; step: number; at: number }

const flag = { due: 1, made: 2, letter: 4, superseded: 8, endedTwice: 16, uncertain: 32 } as const
const firstCapacity = 1024
const none = 0xff

/** Thrown if the table would exceed its limit. */
export class TableFullError extends Error {}

type Columns = ReturnType<typeof columnsOf>

/** 32 bytes per delivery. */
function columnsOf(size: number) {
  return {
    high: new Uint32Array(size),
    low: new Uint32Array(size),
    event: new Uint32Array(size),
    subscription: new Uint32Array(size),
    transitionAt: new Float64Array(size),
    transitionStep: new Uint16Array(size),
    openStep: new Uint16Array(size),
    kind: new Uint8Array(size),
    flags: new Uint8Array(size),
    end: new Uint8Array(size),
    open: new Uint8Array(size),
  }
}

/**
 * Stores deliveries by id in little memory: typed arrays outside the heap, indexed by a hash table
 * with open addressing.
 */
export class DeliveryTable {
  readonly #limit: number
  #columns = columnsOf(firstCapacity)
  #capacity = firstCapacity
  #size = 0
  /** Index + 1 of a delivery; 0 means free. */
  #slots = new Int32Array(2 * firstCapacity)
  #events = Buffer.alloc(firstCapacity * uuidBytes)
  #eventCount = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get size(): number {
    return this.#size
  }

  addEvent(eventId: string): number {
    const index = this.#eventCount++
    const at = index * uuidBytes
    if (at === this.#events.length) {
      const larger = Buffer.alloc(2 * this.#events.length)
      this.#events.copy(larger)
      this.#events = larger
    }
    writeUuid(eventId, this.#events, at)
    return index
  }

  /** In lower case. */
  eventIdOf(index: number): string {
    return readUuid(this.#events, (this.#columns.event[index] ?? 0) * uuidBytes)
  }

  /** Returns -1 if it is absent. */
  find(id: ShortId): number {
    return (this.#slots[this.#slotOf(id)] ?? 0) - 1
  }

  /** @returns its index; that of the existing entry if there is one */
  add(id: ShortId, delivery: { kind: Kind; subscription: number; event: number }): number {
    const known = this.find(id)
    if (known >= 0) return known
    if (this.#size === this.#limit) throw new TableFullError()
    if (this.#size === this.#capacity) this.#grow()
    const index = this.#size++
    const columns = this.#columns
    columns.high[index] = id[0]
    columns.low[index] = id[1]
    columns.event[index] = delivery.event
    columns.subscription[index] = delivery.subscription
    columns.kind[index] = kinds.indexOf(delivery.kind)
    columns.end[index] = none
    columns.open[index] = none
    this.#slots[this.#slotOf(id)] = index + 1
    return index
  }

  setKind(index: number, kind: Kind): void {
    this.#columns.kind[index] = kinds.indexOf(kind)
  }

  setDue(index: number): void {
    this.#set(index, flag.due)
  }

  setUncertain(index: number): void {
    this.#set(index, flag.uncertain)
  }

  setMade(index: number): void {
    this.#set(index, flag.made)
  }

  setLetter(index: number): void {
    this.#set(index, flag.letter | flag.made)
  }

  /** Records where an unfinished job is. The latest step counts. */
  setOpen(index: number, place: OpenPlace, step: number): void {
    const { open, openStep } = this.#columns
    this.setMade(index)
    if (open[index] !== none && step < (openStep[index] ?? 0)) return
    open[index] = openPlaces.indexOf(place)
    openStep[index] = step
  }

  /** Records a transition. The latest (step, time) counts. Repetitions change nothing. */
  setTransition(index: number, { status, step, at }: PublishedTransition): void {
    const { transitionAt, transitionStep } = this.#columns
    this.setMade(index)
    const [knownStep, knownAt] = [transitionStep[index] ?? 0, transitionAt[index] ?? 0]
    if (step === knownStep && at === knownAt) return
    const isLatest = step > knownStep || (step === knownStep && at > knownAt)
    if (isLatest) {
      transitionStep[index] = step
      transitionAt[index] = at
    }
    this.#setEnd(index, { end: (ends as readonly string[]).indexOf(status), isLatest })
  }

  #setEnd(index: number, { end, isLatest }: { end: number; isLatest: boolean }): void {
    const all = this.#columns.end
    const hasEnd = all[index] !== none
    if (end < 0) {
      if (isLatest && hasEnd) this.#set(index, flag.superseded)
      return
    }
    if (hasEnd) this.#set(index, flag.endedTwice)
    if (hasEnd && !isLatest) return
    all[index] = end
    if (isLatest) this.#clear(index, flag.superseded)
    else this.#set(index, flag.superseded)
  }

  factsOf(index: number): DeliveryFacts {
    const { kind, subscription, open, end } = this.#columns
    return {
      kind: kinds[kind[index] ?? 0] ?? 'matched',
      subscription: subscription[index] ?? 0,
      isDue: this.#has(index, flag.due),
      isUncertain: this.#has(index, flag.uncertain),
      wasMade: this.#has(index, flag.made),
      hasLetter: this.#has(index, flag.letter),
      open: openPlaces[open[index] ?? none] ?? null,
      end: ends[end[index] ?? none] ?? null,
      endSuperseded: this.#has(index, flag.superseded),
      endedTwice: this.#has(index, flag.endedTwice),
    }
  }

  #set(index: number, flags: number): void {
    const all = this.#columns.flags
    all[index] = (all[index] ?? 0) | flags
  }

  #clear(index: number, flags: number): void {
    const all = this.#columns.flags
    all[index] = (all[index] ?? 0) & ~flags
  }

  #has(index: number, flags: number): boolean {
    return ((this.#columns.flags[index] ?? 0) & flags) !== 0
  }

  /** Returns the slot of the id, or the free slot where it belongs. */
  #slotOf([high, low]: ShortId): number {
    const mask = this.#slots.length - 1
    // Ids are already hashes. The high number is used, because the low one contains the UUID's
    // version.
    for (let slot = high & mask; ; slot = (slot + 1) & mask) {
      const index = (this.#slots[slot] ?? 0) - 1
      if (index < 0) return slot
      if (this.#columns.low[index] === low && this.#columns.high[index] === high) return slot
    }
  }

  #grow(): void {
    const capacity = Math.min(2 * this.#capacity, this.#limit)
    const larger = columnsOf(capacity)
    for (const name of Object.keys(larger) as (keyof Columns)[]) {
      larger[name].set(this.#columns[name])
    }
    this.#columns = larger
    this.#capacity = capacity
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * capacity)))
    for (let index = 0; index < this.#size; index++) {
      const id: ShortId = [larger.high[index] ?? 0, larger.low[index] ?? 0]
      this.#slots[this.#slotOf(id)] = index + 1
    }
  }
}
