import { Latencies, type LatencySummary } from '../latencies.ts'

export type PathReport = {
  received: number
  /** From the record's `sent_at` to the receipt. */
  latency: LatencySummary
  /** Epoch ms. */
  firstAt: number
  lastAt: number
  /** Requests that were here at once when each of the first came, up to `remembered`. */
  inFlightAtFirst: number[]
  /** How far a record that came for the first time did so at most behind one that was written after it. */
  mostOvertaken: number
}

const remembered = 200

/** What came on one path. */
export class PathStats {
  readonly #latencies = new Latencies()
  readonly #inFlightAtFirst: number[] = []
  #received = 0
  #firstAt = 0
  #lastAt = 0
  #inFlight = 0
  #highest = -1
  readonly #tried: Set<number>

  /** @param tried what had come before; it is added to */
  constructor(tried: Set<number>) {
    this.#tried = tried
  }
  #mostOvertaken = 0

  /** Whether or not it is answered well. */
  began(at: number): void {
    this.#inFlight++
    if (this.#received++ === 0) this.#firstAt = at
    this.#lastAt = at
    if (this.#inFlightAtFirst.length < remembered) this.#inFlightAtFirst.push(this.#inFlight)
  }

  ended(): void {
    this.#inFlight--
  }

  /** @param body of a record of `newRecord` */
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

  get received(): number {
    return this.#received
  }

  get report(): PathReport {
    return {
      received: this.#received,
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

/** Of several paths: all that came, and the latencies of the slowest. */
export function slowestOf(
  reports: readonly PathReport[],
): Pick<PathReport, 'received' | 'latency'> {
  const worst = (of: 'p50' | 'p99' | 'max') =>
    Math.max(0, ...reports.map(({ latency }) => latency[of]))
  return {
    received: reports.reduce((sum, { received }) => sum + received, 0),
    latency: { p50: worst('p50'), p99: worst('p99'), max: worst('max') },
  }
}
