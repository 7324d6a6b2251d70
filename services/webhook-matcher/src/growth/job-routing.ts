import { setTimeout as sleep } from 'node:timers/promises'
import {
  decodeJobPartitions,
  encodeJobPartitions,
} from '@surehook/kafka/offsets/job-partitions-note'
import type { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import type { PartitionControl } from '@surehook/kafka/windowed/partition-handler'
import { orAborted } from '@surehook/service-kit/bounded'
import type { GrowthGate } from './growth-gate.ts'

export type JobRoutingOptions = {
  /** The assigned partition of `changes`. */
  assignment: AssignedPartition
  control: Pick<PartitionControl, 'partitions' | 'commitSoon'>
  gate: Pick<GrowthGate, 'newPartition' | 'rerouted'>
  /** Called when batches may begin, or when `mayBegin` has to be asked again. */
  onReady: () => void
  onFault: (err: unknown) => void
  /** Only tests use another time. */
  stopMs?: number
}

const afterFaultMs = 500
/** For how long batches wait at most for the jobs that were written a moment ago. */
const firstStopMs = 5_000
/** The limit doubles with each attempt, up to this many times. */
const mostDoublings = 3

/**
 * Decides among how many partitions the jobs of one partition of `changes` are divided. The number
 * grows with the topics, but not before the dispatchers have rerouted the earlier jobs to their new
 * partitions. Batches go on meanwhile, and stop only for the last jobs. The commits note the number,
 * so that the next owner goes on with it or with a lower one.
 */
export class JobRouting {
  readonly #options: JobRoutingOptions
  #partitions: number
  #isOpen: boolean
  #isWaiting = false
  #attempts = 0
  /** While set, no batch begins. It resolves when no batch is running. */
  #ended: PromiseWithResolvers<void> | null = null

  constructor(options: JobRoutingOptions) {
    const { assignment, control } = options
    this.#options = options
    // A commit without a note is of a version before partitions could be added.
    const noted = decodeJobPartitions(assignment.note)
    this.#partitions = noted ?? control.partitions
    this.#isOpen = !assignment.isAdded
    // A partition with a commit is one whose changes are matched.
    assignment.mayCommit = this.#isOpen
    assignment.noteOf = () => encodeJobPartitions(this.#partitions)
    // Other partitions without a commit are those that were added.
    if (this.#isOpen && noted === null) control.commitSoon(assignment)
  }

  get partitions(): number {
    return this.#partitions
  }

  /**
   * Returns whether a batch may begin. If it may not, `onReady` follows.
   * @param running the number of running batches
   */
  mayBegin(running: number): boolean {
    const isBehind = !this.#isOpen || this.#partitions < this.#options.control.partitions
    if (isBehind && !this.#isWaiting) void this.#wait()
    if (running === 0) this.#ended?.resolve()
    return this.#isOpen && this.#ended === null
  }

  async #wait(): Promise<void> {
    const { assignment, onReady, onFault } = this.#options
    this.#isWaiting = true
    try {
      await (this.#isOpen ? this.#adopt() : this.#open())
    } catch (err) {
      if (!assignment.lease.aborted) onFault(err)
      await sleep(afterFaultMs)
    } finally {
      this.#isWaiting = false
    }
    if (!assignment.lease.aborted) onReady()
  }

  async #open(): Promise<void> {
    const { assignment, control, gate } = this.#options
    const { partition, lease } = assignment
    this.#partitions = await gate.newPartition(partition, control.partitions, lease)
    this.#isOpen = true
    assignment.mayCommit = true
    control.commitSoon(assignment)
  }

  /** Uses the present number of partitions once no earlier job has to be rerouted any more. */
  async #adopt(): Promise<void> {
    const { assignment, control, gate } = this.#options
    const { lease } = assignment
    const grown = control.partitions
    await gate.rerouted(grown, lease)
    const stopMs =
      (this.#options.stopMs ?? firstStopMs) * 2 ** Math.min(this.#attempts++, mostDoublings)
    try {
      await this.#whileStopped(AbortSignal.any([lease, AbortSignal.timeout(stopMs)]), (signal) =>
        gate.rerouted(grown, signal),
      )
    } catch (err) {
      // Batches go on for longer than they stopped.
      if (!lease.aborted) this.#options.onReady()
      await sleep(2 * stopMs, undefined, { signal: lease })
      throw err
    }
    this.#partitions = grown
    this.#attempts = 0
    control.commitSoon(assignment)
  }

  /** No batch is running or begins until `wait` has ended or the signal aborts. */
  async #whileStopped(
    signal: AbortSignal,
    wait: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const ended = Promise.withResolvers<void>()
    this.#ended = ended
    try {
      this.#options.onReady()
      await orAborted(ended.promise, signal)
      await orAborted(wait(signal), signal)
    } finally {
      this.#ended = null
    }
  }
}
