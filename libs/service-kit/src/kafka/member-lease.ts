import type { RequestEvent } from 'kafkajs'

/** What tells the group that a member lives. */
const signsOfLife = new Set(['Heartbeat', 'SyncGroup'])

/**
 * How long a member can be sure of its partitions: the group gives them to nobody else before its
 * session is over, counted from the last sign of life that the group has taken. A process that stood
 * still, or lost its broker, knows by it that it may have been replaced without having heard.
 */
export class MemberLease {
  readonly #forMs: number
  #sentAt = 0
  #takenAt = 0

  /** @param forMs less than the session time-out, so that what starts at its end begins in time */
  constructor(forMs: number) {
    this.#forMs = forMs
  }

  get holds(): boolean {
    return Date.now() - this.#takenAt < this.#forMs
  }

  /** kafkajs reports every request once it was answered, well or not. */
  saw({ apiName, sentAt }: RequestEvent['payload']): void {
    if (signsOfLife.has(apiName)) this.#sentAt = sentAt
  }

  /** The answer to the last sign of life was good. */
  taken(): void {
    this.#takenAt = this.#sentAt
  }
}
