import type { Position } from '@surehook/service-kit/kafka/read-ahead-consumer'
import type { LogItem } from './delivery-projection.ts'

/** Of one partition of a topic. There may be tens of thousands of items, and they are looked at ten times a second. */
type Reading = {
  /** Behind the last message read. */
  read: Position
  /** Of the jobs that are held. */
  bytes: number
}
type Held = { readonly item: LogItem; readonly offset: number; readonly of: Reading }
type Entry = { readonly held: Held[]; readonly since: number; told: boolean }

/** With everything else that is held of a job. */
const jobBytes = 400

/** A job waits so long for its first move where few wait, so that it is seen at once. */
const shortestHoldMs = 200
/** Where its partition holds as much as it may: then it is far ahead of who attempts. */
const longestHoldMs = 30_000
/** A first move waits so long for its job, of another topic: what is shown as delivered has its bytes then. */
const jobWaitMs = 500
const lookEveryMs = 100

export type Place = { topic: string; partition: number }

export type HeldLimits = {
  /** Of a partition: what it has more of is better left on its topic for now. */
  bytes: number
}

/**
 * What was read and is not written yet, by delivery. Most deliveries are attempted right after their job was
 * read: a job waits for that, so that a delivery is written once, in the state in which it stays.
 */
export class HeldItems {
  readonly #limits: HeldLimits
  #entries = new Map<string, Entry>()
  /** By topic and partition. */
  #readings = new Map<string, Reading>()
  #told = 0

  constructor(limits: HeldLimits) {
    this.#limits = limits
  }

  /** Of what a partition may hold: 1 is full. */
  share(place: Place): number {
    return (this.#readings.get(placeKey(place))?.bytes ?? 0) / this.#limits.bytes
  }

  /** Deliveries that have moved: they wait for nothing but being written. */
  get told(): number {
    return this.#told
  }

  /**
   * @param read the place of all of them, and behind which message it was read
   * @param now of `performance.now()`, as that of `take`: a clock that is set back would hold jobs for as long
   */
  add(items: readonly LogItem[], read: Position, now: number): void {
    const of = this.#readingOf(read)
    of.read = read
    for (const item of items) {
      const { deliveryId } = item.job ?? item.move
      let entry = this.#entries.get(deliveryId)
      if (entry === undefined) {
        entry = { held: [], since: now, told: false }
        this.#entries.set(deliveryId, entry)
      }
      entry.held.push({ item, offset: Number(item.offset), of })
      of.bytes += bytesOf(item)
      if (item.move !== null && !entry.told) {
        entry.told = true
        this.#told++
      }
    }
  }

  /** Removes what is to be written now: what has moved, and jobs that waited long enough. */
  take(now: number): LogItem[] {
    const due: Held[] = []
    for (const [deliveryId, entry] of this.#entries) {
      if (now - entry.since < this.#holdMs(entry)) continue
      this.#entries.delete(deliveryId)
      if (entry.told) this.#told--
      due.push(...entry.held)
    }
    for (const { item, of } of due) of.bytes -= bytesOf(item)
    return due.map(({ item }) => item)
  }

  /** How long until there may be something to take, unless something comes meanwhile. */
  get waitMs(): number {
    if (this.#told > 0) return 0
    return this.#entries.size > 0 ? lookEveryMs : longestHoldMs
  }

  /** Up to where each partition is done, when all that was taken is written. */
  positions(): Position[] {
    const readings = [...this.#readings.values()]
    const low = new Map(readings.map((reading) => [reading, reading.read.offset]))
    for (const { held } of this.#entries.values()) {
      for (const { of, offset } of held) if (offset < (low.get(of) ?? 0)) low.set(of, offset)
    }
    return readings.map((of) => ({ ...of.read, offset: low.get(of) ?? of.read.offset }))
  }

  clear(): void {
    this.#entries = new Map()
    this.#readings = new Map()
    this.#told = 0
  }

  #readingOf(read: Position): Reading {
    const key = placeKey(read)
    const known = this.#readings.get(key) ?? { read, bytes: 0 }
    this.#readings.set(key, known)
    return known
  }

  #holdMs({ held, told }: Entry): number {
    if (told) {
      return held.some(({ item: { job, move } }) => job !== null || move.step > 1) ? 0 : jobWaitMs
    }
    const [first] = held
    const share = first === undefined ? 0 : Math.min(1, first.of.bytes / this.#limits.bytes)
    return shortestHoldMs + longestHoldMs * share ** 2
  }
}

const bytesOf = ({ job }: LogItem) => (job === null ? 0 : jobBytes + job.body.length)

const placeKey = ({ topic, partition }: Place) => `${topic}/${partition}`
