import type { LaneReader } from '../consumer/partition-reader.ts'
import type { PartitionLane } from './assigned-partition.ts'
import type { Window } from './fair-share.ts'

/** Decides where a lane is read, and when it is not. */
export class LaneSteering {
  readonly #window: Window
  readonly #reader: Pick<LaneReader, 'seek' | 'pause' | 'resume'>

  constructor(window: Window, reader: Pick<LaneReader, 'seek' | 'pause' | 'resume'>) {
    this.#window = window
    this.#reader = reader
  }

  /** Pauses a lane that holds too much; resumes it at half. Goes back for what waits in the log. */
  steer(lane: PartitionLane): void {
    if (lane.lease.aborted || this.#goesBack(lane)) return
    const { messages, bytes } = this.#window
    const full = lane.held >= messages || lane.heldBytes >= bytes
    // What was overtaken must be read before others overtake it any further.
    const far = lane.overtaking !== null && lane.overtaking.waiting > 0 && lane.overtakenFar
    if (full || far) {
      if (!lane.paused) this.pause(lane)
      return
    }
    const roomy = lane.held <= messages / 2 && lane.heldBytes <= bytes / 2
    if (lane.paused && roomy) this.#resume(lane)
  }

  /**
   * @param next behind the last message that was looked at
   * @param position where the consumer reads on by itself: further when the rest was not looked at
   */
  wasRead(lane: PartitionLane, { next, position }: { next: number; position: number }): void {
    const frontier = lane.next
    const done = lane.overtaking?.isDone({ next, frontier }) ?? false
    // Others have their turn before it goes back again.
    lane.mayGoBack = !done
    if (done && position !== frontier) this.#seek(lane, frontier)
    this.steer(lane)
  }

  pause(lane: PartitionLane): void {
    lane.paused = true
    this.#reader.pause([{ topic: lane.topic, partitions: [lane.partition] }])
  }

  /** @returns true while messages are read again that waited for room */
  #goesBack(lane: PartitionLane): boolean {
    const { overtaking } = lane
    if (overtaking === null || overtaking.waiting === 0) return false
    if (overtaking.isReadingBack) return true
    if (!lane.mayGoBack && !lane.paused && lane.next < lane.end) return false
    const from = overtaking.goBack()
    if (from === undefined) return false
    this.#seek(lane, from)
    if (lane.paused) this.#resume(lane)
    return true
  }

  #resume(lane: PartitionLane): void {
    lane.paused = false
    this.#reader.resume([{ topic: lane.topic, partitions: [lane.partition] }])
  }

  #seek({ topic, partition }: PartitionLane, offset: number): void {
    this.#reader.seek({ topic, partition, offset: String(offset) })
  }
}
