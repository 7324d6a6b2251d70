import type { PartitionReader } from '../consumer/partition-reader.ts'
import type { AssignedPartition } from './assigned-partition.ts'
import type { Window } from './fair-share.ts'

/** Decides where an assigned partition is read, and when it is paused. */
export class FlowControl {
  readonly #window: Window
  readonly #reader: Pick<PartitionReader, 'seek' | 'pause' | 'resume'>

  constructor(window: Window, reader: Pick<PartitionReader, 'seek' | 'pause' | 'resume'>) {
    this.#window = window
    this.#reader = reader
  }

  /**
   * Pauses an assigned partition that holds too much, and resumes it at half. Reads back if the
   * backlog has room.
   */
  steer(assignment: AssignedPartition): void {
    if (assignment.lease.aborted || this.#goesBack(assignment)) return
    const { messages, bytes } = this.#window
    const full = assignment.held >= messages || assignment.heldBytes >= bytes
    if (full || isFar(assignment)) {
      if (!assignment.paused) this.pause(assignment)
      // Nothing else would resume a paused partition of which no message is held.
      if (!full) this.#goesBack(assignment)
      return
    }
    const roomy = assignment.held <= messages / 2 && assignment.heldBytes <= bytes / 2
    if (assignment.paused && roomy) this.#resume(assignment)
  }

  /**
   * @param next offset after the last message that was examined
   * @param position where the consumer would continue: higher when the rest was not examined
   */
  wasRead(
    assignment: AssignedPartition,
    { next, position }: { next: number; position: number },
  ): void {
    const frontier = assignment.next
    const done = assignment.backlog?.isDone({ next, frontier }) ?? false
    // Other tenants have their turn before it reads back again.
    assignment.mayGoBack = !done
    if (done && position !== frontier) this.#seek(assignment, frontier)
    this.steer(assignment)
  }

  pause(assignment: AssignedPartition): void {
    assignment.paused = true
    this.#reader.pause([{ topic: assignment.topic, partitions: [assignment.partition] }])
  }

  /** @returns true while messages of the backlog are read again */
  #goesBack(assignment: AssignedPartition): boolean {
    const { backlog } = assignment
    if (backlog === null || backlog.waiting === 0) return false
    if (backlog.isReadingBack) return true
    if (!assignment.mayGoBack && !assignment.paused && assignment.next < assignment.end)
      return false
    const from = backlog.goBack()
    if (from === undefined) return false
    this.#seek(assignment, from)
    if (assignment.paused) this.#resume(assignment)
    return true
  }

  #resume(assignment: AssignedPartition): void {
    assignment.paused = false
    this.#reader.resume([{ topic: assignment.topic, partitions: [assignment.partition] }])
  }

  #seek({ topic, partition }: AssignedPartition, offset: number): void {
    this.#reader.seek({ topic, partition, offset: String(offset) })
  }
}

/** True if the backlog must be read before other messages overtake it any further. */
const isFar = ({ backlog, backlogIsFar }: AssignedPartition): boolean =>
  backlog !== null && backlog.waiting > 0 && backlogIsFar
