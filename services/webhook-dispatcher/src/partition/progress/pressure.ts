import type { AssignedPartition } from '@surehook/kafka/windowed/assigned-partition'
import type { DueTimes } from './due-times.ts'

/** A shorter pressure passes by itself, as while the first connections of an endpoint open. */
const lastsMs = 500

export type PressureOptions = {
  assignments: ReadonlyMap<string, AssignedPartition>
  dueTimes: DueTimes
  /** The limits at which an assigned partition stops reading. */
  window: { messages: number; bytes: number }
}

/** Detects whether jobs that wait for their endpoints will soon stop the partition from reading. */
export class Pressure {
  readonly #options: PressureOptions
  #since: number | null = null

  constructor(options: PressureOptions) {
    this.#options = options
  }

  /** True if the pressure has lasted, so that jobs should wait elsewhere. */
  get isOn(): boolean {
    return this.#since !== null && performance.now() - this.#since >= lastsMs
  }

  /** Checks the assigned partitions. Call it several times a second. */
  sample(): void {
    const pressed = this.#options.assignments
      .values()
      .some((assignment) => this.#isPressed(assignment))
    this.#since = pressed ? (this.#since ?? performance.now()) : null
  }

  /**
   * True if jobs that wait for endpoints fill more than half of what the assigned partition may
   * hold: its window, or what it holds now while the budget of all windows is exhausted.
   */
  #isPressed(assignment: AssignedPartition): boolean {
    const { window, dueTimes } = this.#options
    const due = dueTimes.dueOf(assignment)
    const bytes = assignment.isOverBudget ? assignment.heldBytes : window.bytes
    return due.messages > window.messages / 2 || due.bytes > bytes / 2
  }
}
