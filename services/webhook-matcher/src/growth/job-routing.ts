import { setTimeout as sleep } from 'node:timers/promises'
import type { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import type { PartitionControl } from '@surehook/kafka/windowed/partition-handler'
import type { GrowthGate } from './growth-gate.ts'

export type JobRoutingOptions = {
  /** The assigned partition of `changes`. */
  assignment: AssignedPartition
  control: Pick<PartitionControl, 'partitions' | 'commitSoon'>
  gate: Pick<GrowthGate, 'newPartition' | 'forwarded'>
  /** Called when batches may begin again. */
  onReady: () => void
  onFault: (err: unknown) => void
}

const afterFaultMs = 500

/**
 * Decides among how many partitions the jobs of one partition of `changes` are divided. The number
 * grows with the topics, but not before the dispatchers have moved the earlier jobs to their new
 * partitions. The commits note it, so that the next owner goes on with it or with a lower one.
 */
export class JobRouting {
  readonly #options: JobRoutingOptions
  #partitions: number
  #isOpen: boolean
  #isWaiting = false

  constructor(options: JobRoutingOptions) {
    const { assignment, control } = options
    this.#options = options
    // A commit without a note is of a version before partitions could be added.
    const noted = decode(assignment.note)
    this.#partitions = noted ?? control.partitions
    this.#isOpen = !assignment.isAdded
    // A partition with a commit is one whose changes are matched.
    assignment.mayCommit = this.#isOpen
    assignment.noteOf = () => encode(this.#partitions)
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
    const { partitions } = this.#options.control
    if (this.#isOpen && this.#partitions >= partitions) return true
    if (running === 0 && !this.#isWaiting) void this.#wait()
    return false
  }

  async #wait(): Promise<void> {
    const { assignment, control, gate, onReady, onFault } = this.#options
    this.#isWaiting = true
    try {
      const grown = control.partitions
      await (this.#isOpen
        ? gate.forwarded(grown, assignment.lease)
        : gate.newPartition(assignment.partition, grown, assignment.lease))
      this.#partitions = grown
      this.#isOpen = true
      assignment.mayCommit = true
      control.commitSoon(assignment)
    } catch (err) {
      if (!assignment.lease.aborted) onFault(err)
      await sleep(afterFaultMs)
    } finally {
      this.#isWaiting = false
    }
    if (!assignment.lease.aborted) onReady()
  }
}

function encode(partitions: number): Uint8Array {
  const note = Buffer.alloc(4)
  note.writeUInt32BE(partitions)
  return note
}

const decode = (note: Uint8Array | null): number | null =>
  note?.length === 4 ? Buffer.from(note).readUInt32BE() : null
