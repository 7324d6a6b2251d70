import { setTimeout as sleep } from 'node:timers/promises'
import type { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import type { PartitionControl } from '@surehook/kafka/windowed/partition-handler'
import type { Logger } from 'pino'
import type { GrowthGate } from './growth-gate.ts'

export type GrowthReportOptions = {
  /** The assigned partition of `changes`. Only the owner of the first one reports. */
  assignment: Pick<AssignedPartition, 'partition' | 'lease'>
  control: Pick<PartitionControl, 'partitions'>
  gate: Pick<GrowthGate, 'unused'>
  log: Pick<Logger, 'info' | 'warn'>
  /** Only tests use another time. */
  pollMs?: number
}

/**
 * Logs when all replicas of webhook-matcher use all added partitions. If the process ends before, the
 * next owner of the first partition does so.
 */
export class GrowthReport {
  readonly #options: GrowthReportOptions
  #isWatching = false

  constructor(options: GrowthReportOptions) {
    this.#options = options
  }

  /** Call it when the partition was assigned, and when partitions were added. */
  async watch(): Promise<void> {
    const { assignment, control, log, pollMs = 1_000 } = this.#options
    const { partition, lease } = assignment
    if (partition !== 0 || this.#isWatching) return
    this.#isWatching = true
    let hasWaited = false
    for (;;) {
      const unused = await this.#countUnused()
      if (lease.aborted || unused === 0) break
      if (unused !== null) hasWaited = true
      await sleep(pollMs)
    }
    this.#isWatching = false
    if (hasWaited && !lease.aborted) log.info({ partitions: control.partitions }, 'growth.finished')
  }

  /** Returns null if Kafka does not answer. */
  async #countUnused(): Promise<number | null> {
    const { control, gate, log } = this.#options
    try {
      return (await gate.unused(control.partitions)).length
    } catch (err) {
      log.warn({ err }, 'growth.unknown')
      return null
    }
  }
}
