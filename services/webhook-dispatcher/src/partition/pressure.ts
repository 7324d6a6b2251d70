import type { PartitionLane } from '@surehook/kafka/windowed/assigned-partition'
import type { DueTimes } from './due-times.ts'

/** A shorter one passes by itself, as while the first connections of an endpoint open. */
const lastsMs = 500

export type PressureOptions = {
  lanes: ReadonlyMap<string, PartitionLane>
  dueTimes: DueTimes
  /** What a lane may hold before it stops reading. */
  window: { messages: number; bytes: number }
}

/** Whether jobs that wait for their endpoints are about to keep a partition from reading on. */
export class Pressure {
  readonly #options: PressureOptions
  #since: number | null = null

  constructor(options: PressureOptions) {
    this.#options = options
  }

  /** It has lasted: jobs should wait elsewhere. */
  get isOn(): boolean {
    return this.#since !== null && performance.now() - this.#since >= lastsMs
  }

  /** Looks at the lanes; to be called several times a second. */
  sample(): void {
    const pressed = this.#options.lanes.values().some((lane) => this.#isPressed(lane))
    this.#since = pressed ? (this.#since ?? performance.now()) : null
  }

  /** More than half of what the lane may hold waits for endpoints: soon it would stop reading. */
  #isPressed(lane: PartitionLane): boolean {
    const { window, dueTimes } = this.#options
    const due = dueTimes.dueOf(lane)
    return due.messages > window.messages / 2 || due.bytes > window.bytes / 2
  }
}
