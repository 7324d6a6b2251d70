import { Latencies, type LatencySummary } from '../measure/latencies.ts'
import type { ReceivedCounts, ReceivedIds } from '../receiver/received-ids.ts'

export type PathReport = ReceivedCounts & {
  /** From the record's `sent_at` to the receipt. */
  latency: LatencySummary
}

/** The requests on one path. */
export class PathStats {
  readonly #latencies = new Latencies()
  readonly #ids: ReceivedIds

  /** @param ids the deliveries before the reset; it is extended */
  constructor(ids: ReceivedIds) {
    this.#ids = ids
  }

  /** Counts a delivery that was answered with 2xx. */
  accepted(id: string): void {
    this.#ids.add(id)
  }

  /** @param body the body of a record of `newRecord` */
  read(body: string, at: number): void {
    const sent = sentAt.exec(body)
    if (sent) this.#latencies.add(at - Number(sent[1]))
  }

  get unique(): number {
    return this.#ids.counts.unique
  }

  get report(): PathReport {
    return { ...this.#ids.counts, latency: this.#latencies.summary() }
  }
}

const sentAt = /"sent_at":(\d+(?:\.\d+)?)/

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
