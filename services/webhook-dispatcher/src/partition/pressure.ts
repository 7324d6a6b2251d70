import type { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import type { DueTimes } from './due-times.ts'

/** A shorter one passes by itself, as while the first connections of an endpoint open. */
const lastsMs = 500

export type PressureOptions = {
  assignments: ReadonlyMap<string, AssignedPartition>
  dueTimes: DueTimes
  /** What an assigned partition may hold before it stops reading. */
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

  /** Looks at the assigned partitions; to be called several times a second. */
  sample(): void {
    const pressed = this.#options.assignments
      .values()
      .some((assignment) => this.#isPressed(assignment))
    this.#since = pressed ? (this.#since ?? performance.now()) : null
  }

  /** More than half of what the assigned partition may hold waits for endpoints: soon it would stop reading. */
  #isPressed(assignment: AssignedPartition): boolean {
    const { window, dueTimes } = this.#options
    const due = dueTimes.dueOf(assignment)
    return due.messages > window.messages / 2 || due.bytes > window.bytes / 2
  }
}
