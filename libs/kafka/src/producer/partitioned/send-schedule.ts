import type { Batch, PartitionQueue } from './partition-queue.ts'

/** Requests to one broker follow each other: one sequence for healthy partitions, and one for those that fail. */
export type RequestSequence = {
  readonly key: string
  readonly node: number
  readonly isAside: boolean
}

export type ScheduledBatch = { queue: PartitionQueue; batch: Batch }

type Actions = {
  /** Node of a queue's leader; -1 when there is none. */
  leaderOf: (queue: PartitionQueue) => number
  /** The batch that this queue sends next. */
  batchOf: (queue: PartitionQueue) => Batch
  /** Called when a sequence that nobody serves has something to send; `take` until there is nothing more. */
  serve: (sequence: RequestSequence) => Promise<void>
  /** Called for a queue whose partition has no leader. */
  leaderless: (queue: PartitionQueue) => void
}

const maxRequestBytes = 1_000_000
const maxRequestRecords = 1_000

/** Which queues have something to send, and to which broker. */
export class SendSchedule {
  readonly #actions: Actions
  /** The one that was served last comes last. */
  readonly #ready = new Set<PartitionQueue>()
  /** Their batch is under way, or waits for its next try. */
  readonly #held = new Set<PartitionQueue>()
  /** Sequences that are served. */
  readonly #busy = new Set<string>()
  #isScheduled = false

  constructor(actions: Actions) {
    this.#actions = actions
  }

  /** Records that could be sent now. */
  get waiting(): number {
    let records = 0
    for (const { length } of this.#ready) records += length
    return records
  }

  /** The queue has something to send. */
  add(queue: PartitionQueue): void {
    if (queue.length === 0 || this.#held.has(queue)) return
    this.#ready.add(queue)
    if (this.#isScheduled) return
    this.#isScheduled = true
    // Not in this tick: all its callers share the first request.
    queueMicrotask(() => this.#dispatch())
  }

  #dispatchSoon(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#dispatch())
  }

  /** Nothing of the queue is sent until it is released. */
  hold(queue: PartitionQueue): void {
    this.#ready.delete(queue)
    this.#held.add(queue)
  }

  release(queue: PartitionQueue): void {
    this.#held.delete(queue)
    this.add(queue)
  }

  /** The batches of the sequence's next request, all of one producer. Their queues are held. */
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
      // A leader that moved meanwhile has left its queue to nobody.
      if (this.#ready.size > 0) this.#dispatchSoon()
    }
  }

  #sequenceOf(queue: PartitionQueue): RequestSequence {
    const node = this.#actions.leaderOf(queue)
    const isAside = queue.failures > 0
    return { key: `${node}/${isAside}`, node, isAside }
  }
}
