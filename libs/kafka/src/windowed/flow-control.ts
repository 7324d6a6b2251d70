import { setTimeout as wait } from 'node:timers/promises'
import type { PartitionReader } from '../consumer/partition-reader.ts'
import type { AssignedPartition } from './assigned-partition.ts'
import type { Window } from './fair-share.ts'

type ReadUpTo = { next: number; position: number; postponedMs?: number | undefined }

type Later = (ms: number, then: () => void, lease: AbortSignal) => void

const later: Later = (ms, then, signal) =>
  void wait(ms, undefined, { signal, ref: false }).then(then, () => undefined)

/** Decides where an assigned partition is read, and when it is paused. */
export class FlowControl {
  readonly #window: Window
  readonly #reader: Pick<PartitionReader, 'seek' | 'pause' | 'resume'>
  readonly #after: Later

  /** @param after calls back after a time, unless the partition is revoked before */
  constructor(
    window: Window,
    reader: Pick<PartitionReader, 'seek' | 'pause' | 'resume'>,
    after: Later = later,
  ) {
    this.#window = window
    this.#reader = reader
    this.#after = after
  }

  /**
   * Pauses an assigned partition that holds too much, and resumes it at half. Pauses it also while
   * its next message is not due soon. Reads back if the backlog has room.
   */
  steer(assignment: AssignedPartition): void {
    if (assignment.lease.aborted || this.#goesBack(assignment)) return
    const full = this.#isFull(assignment)
    if (full || isFar(assignment) || assignment.isPostponed) {
      if (!assignment.paused) this.pause(assignment)
      // Nothing else would resume a paused partition of which no message is held.
      if (!full) this.#goesBack(assignment)
      return
    }
    if (assignment.paused && this.#isRoomy(assignment)) this.#resume(assignment)
  }

  /** The budget of the process limits each tenant, where tenants share the partition. */
  #isFull({ held, heldBytes, backlog, isOverBudget }: AssignedPartition): boolean {
    const { messages, bytes } = this.#window
    return held >= messages || heldBytes >= bytes || (backlog === null && isOverBudget)
  }

  #isRoomy({ held, heldBytes, backlog, hasBudget }: AssignedPartition): boolean {
    const { messages, bytes } = this.#window
    return held <= messages / 2 && heldBytes <= bytes / 2 && (backlog !== null || hasBudget)
  }

  /**
   * @param next offset after the last message that was examined
   * @param position where the consumer would continue: higher when the rest was not examined
   * @param postponedMs for how long the message at `next` stays in the log
   */
  wasRead(assignment: AssignedPartition, { next, position, postponedMs = 0 }: ReadUpTo): void {
    const frontier = assignment.next
    const done = assignment.backlog?.isDone({ next, frontier }) ?? false
    // Other tenants have their turn before it reads back again.
    assignment.mayGoBack = !done
    if (postponedMs > 0) this.#postpone(assignment, postponedMs)
    const stops = done || (assignment.isPostponed && !assignment.backlog?.isReadingBack)
    if (stops && position !== frontier) this.#seek(assignment, frontier)
    this.steer(assignment)
  }

  pause(assignment: AssignedPartition): void {
    assignment.paused = true
    this.#reader.pause([{ topic: assignment.topic, partitions: [assignment.partition] }])
  }

  #postpone(assignment: AssignedPartition, ms: number): void {
    assignment.isPostponed = true
    const resume = () => {
      assignment.isPostponed = false
      this.steer(assignment)
    }
    this.#after(ms, resume, assignment.lease)
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
