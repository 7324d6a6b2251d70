import type { Batch, PartitionQueue } from './partition-queue.ts'

/**
 * Sequence of requests to one broker. Healthy partitions share one sequence, failing ones another.
 */
export type RequestSequence = {
  readonly key: string
  readonly node: number
  readonly isAside: boolean
}

export type ScheduledBatch = { queue: PartitionQueue; batch: Batch }

type Actions = {
  /** Node of a queue's leader, or -1 if there is none. */
  leaderOf: (queue: PartitionQueue) => number
  /** The next batch of a queue. */
  batchOf: (queue: PartitionQueue) => Batch
  /** Called when an idle sequence has records to send. Call `take` until it returns nothing. */
  serve: (sequence: RequestSequence) => Promise<void>
  /** Called for a queue whose partition has no leader. */
  leaderless: (queue: PartitionQueue) => void
}

const maxRequestBytes = 1_000_000
const maxRequestRecords = 1_000

/** Schedules which queues send records, and to which broker. */
export class SendSchedule {
  readonly #actions: Actions
  /** Queues with records. The most recently served one is last. */
  readonly #ready = new Set<PartitionQueue>()
  /** Queues whose batch is under way or waits for its next try. */
  readonly #held = new Set<PartitionQueue>()
  /** Keys of the sequences that are being served. */
  readonly #busy = new Set<string>()
  #isScheduled = false

  constructor(actions: Actions) {
    this.#actions = actions
  }

  /** Number of records that could be sent now. */
  get waiting(): number {
    let records = 0
    for (const { length } of this.#ready) records += length
    return records
  }

  /** Schedules a queue that has records. */
  add(queue: PartitionQueue): void {
    if (queue.length === 0 || this.#held.has(queue)) return
    this.#ready.add(queue)
    if (this.#isScheduled) return
    this.#isScheduled = true
    // Deferred, so that all calls of this tick share the first request.
    queueMicrotask(() => this.#dispatch())
  }

  #dispatchSoon(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#dispatch())
  }

  /** Excludes the queue until it is released. */
  hold(queue: PartitionQueue): void {
    this.#ready.delete(queue)
    this.#held.add(queue)
  }

  release(queue: PartitionQueue): void {
    this.#held.delete(queue)
    this.add(queue)
  }

  /**
   * Takes the batches of the sequence's next request, all of one producer, and holds their queues.
   */
  take(sequence: RequestSequence): ScheduledBatch[] {
    const taken: ScheduledBatch[] = []
    let [bytes, records] = [0, 0]
    for (const queue of this.#ready) {
      if (bytes >= maxRequestBytes || records >= maxRequestRecords) break
      if (this.#sequenceOf(queue).key !== sequence.key) continue
      const batch = this.#actions.batchOf(queue)
      if (taken[0] !== undefined && taken[0].batch.identity !== batch.identity) continue
      taken.push({ queue, batch })
      bytes += batch.bytes
      records += batch.entries.length
      this.hold(queue)
    }
    return taken
  }

  #dispatch(): void {
    this.#isScheduled = false
    for (const queue of this.#ready) {
      const sequence = this.#sequenceOf(queue)
      if (sequence.node < 0) this.#actions.leaderless(queue)
      else if (!this.#busy.has(sequence.key)) void this.#serve(sequence)
    }
  }

  async #serve(sequence: RequestSequence): Promise<void> {
    this.#busy.add(sequence.key)
    try {
      await this.#actions.serve(sequence)
    } finally {
      this.#busy.delete(sequence.key)
      // If a leader moved meanwhile, no sequence serves its queue.
      if (this.#ready.size > 0) this.#dispatchSoon()
    }
  }

  #sequenceOf(queue: PartitionQueue): RequestSequence {
    const node = this.#actions.leaderOf(queue)
    const isAside = queue.failures > 0
    return { key: `${node}/${isAside}`, node, isAside }
  }
}
