import { Latencies, type LatencySummary } from '../measure/latencies.ts'
import type { ReceivedCounts, ReceivedIds } from '../receiver/received-ids.ts'

export type PathReport = ReceivedCounts & {
  /** From the record's `sent_at` to the receipt. */
  latency: LatencySummary
  /** Epoch ms. */
  firstAt: number
  lastAt: number
  /** How many requests were in flight when each of the first arrived, up to `remembered`. */
  inFlightAtFirst: number[]
  /**
   * The largest distance by which a record arrived for the first time after one that was written
   * later.
   */
  mostOvertaken: number
}

const remembered = 200

/** The requests on one path. */
export class PathStats {
  readonly #latencies = new Latencies()
  readonly #inFlightAtFirst: number[] = []
  #firstAt = 0
  #lastAt = 0
  #inFlight = 0
  #highest = -1
  #mostOvertaken = 0
  readonly #tried: Set<number>
  readonly #ids: ReceivedIds

  /** @param earlier the deliveries before the reset; it is extended */
  constructor(earlier: { tried: Set<number>; ids: ReceivedIds }) {
    this.#tried = earlier.tried
    this.#ids = earlier.ids
  }

  /** Counts a request, whatever its answer. */
  began(at: number): void {
    this.#inFlight++
    this.#firstAt ||= at
    this.#lastAt = at
    if (this.#inFlightAtFirst.length < remembered) this.#inFlightAtFirst.push(this.#inFlight)
  }

  /** Counts a delivery that was answered with 2xx. */
  accepted(id: string): void {
    this.#ids.add(id)
  }

  ended(): void {
    this.#inFlight--
  }

  /** @param body the body of a record of `newRecord` */
  read(body: string, at: number): void {
    const sent = sentAt.exec(body)
    if (sent) this.#latencies.add(at - Number(sent[1]))
    const nth = Number(place.exec(body)?.[1] ?? -1)
    // A retry may come after a later change.
    if (this.#tried.has(nth)) return
    this.#tried.add(nth)
    this.#mostOvertaken = Math.max(this.#mostOvertaken, this.#highest - nth)
    this.#highest = Math.max(this.#highest, nth)
  }

  get unique(): number {
    return this.#ids.counts.unique
  }

  get report(): PathReport {
    return {
      ...this.#ids.counts,
      latency: this.#latencies.summary(),
      firstAt: this.#firstAt,
      lastAt: this.#lastAt,
      inFlightAtFirst: this.#inFlightAtFirst,
      mostOvertaken: this.#mostOvertaken,
    }
  }
}

const sentAt = /"sent_at":(\d+(?:\.\d+)?)/
const place = /"n":(\d+)/

/**
 * Combines several paths: the sums of received and missing deliveries, and the latencies of the
 * slowest.
 */
export function slowestOf(reports: readonly (PathReport & { missing: number })[]) {
  const worst = (of: 'p50' | 'p99' | 'max') =>
    Math.max(0, ...reports.map(({ latency }) => latency[of]))
  return {
    unique: sumOf(reports, 'unique'),
    repeated: sumOf(reports, 'repeated'),
    missing: sumOf(reports, 'missing'),
    latency: { p50: worst('p50'), p99: worst('p99'), max: worst('max') },
  }
}

const sumOf = <Key extends string>(reports: readonly Record<Key, number>[], key: Key) =>
  reports.reduce((sum, report) => sum + report[key], 0)
