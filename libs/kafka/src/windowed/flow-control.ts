import type { PartitionReader } from '../consumer/partition-reader.ts'
import type { AssignedPartition } from './assigned-partition.ts'
import type { Window } from './fair-share.ts'

/** Decides where an assigned partition is read, and when it is not. */
export class FlowControl {
  readonly #window: Window
  readonly #reader: Pick<PartitionReader, 'seek' | 'pause' | 'resume'>

  constructor(window: Window, reader: Pick<PartitionReader, 'seek' | 'pause' | 'resume'>) {
    this.#window = window
    this.#reader = reader
  }

  /** Pauses an assigned partition that holds too much; resumes it at half. Goes back for what waits in the log. */
  steer(assignment: AssignedPartition): void {
    if (assignment.lease.aborted || this.#goesBack(assignment)) return
    const { messages, bytes } = this.#window
    const full = assignment.held >= messages || assignment.heldBytes >= bytes
    // Read the backlog before other messages overtake it any further.
    const far =
      assignment.backlog !== null && assignment.backlog.waiting > 0 && assignment.backlogIsFar
    if (full || far) {
      if (!assignment.paused) this.pause(assignment)
      return
    }
    const roomy = assignment.held <= messages / 2 && assignment.heldBytes <= bytes / 2
    if (assignment.paused && roomy) this.#resume(assignment)
  }

  /**
   * @param next behind the last message that was looked at
   * @param position where the consumer reads on by itself: further when the rest was not looked at
   */
  wasRead(
    assignment: AssignedPartition,
    { next, position }: { next: number; position: number },
  ): void {
    const frontier = assignment.next
    const done = assignment.backlog?.isDone({ next, frontier }) ?? false
    // Others have their turn before it goes back again.
    assignment.mayGoBack = !done
    if (done && position !== frontier) this.#seek(assignment, frontier)
    this.steer(assignment)
  }

  pause(assignment: AssignedPartition): void {
    assignment.paused = true
    this.#reader.pause([{ topic: assignment.topic, partitions: [assignment.partition] }])
  }

  /** @returns true while messages are read again that waited for room */
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
