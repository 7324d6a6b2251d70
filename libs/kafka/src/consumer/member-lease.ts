import type { RequestEvent } from 'kafkajs'

/** What tells the group that a member lives. */
const signsOfLife = new Set(['Heartbeat', 'SyncGroup'])

const never = { wall: 0, steady: -Infinity }

/**
 * How long a member can be sure of its partitions: the group gives them to nobody else before its
 * session is over, counted from the last sign of life that the group has taken. A process that stood
 * still, or lost its broker, knows by it that it may have been replaced without having heard.
 */
export class MemberLease {
  readonly #forMs: number
  #sent = never
  #taken = never

  /** @param forMs less than the session time-out, so that what starts at its end begins in time */
  constructor(forMs: number) {
    this.#forMs = forMs
  }

  get holds(): boolean {
    // Of the two clocks one may be set while the process runs, the other stands still with the machine.
    const { wall, steady } = this.#taken
    return Date.now() - wall < this.#forMs && performance.now() - steady < this.#forMs
  }

  /** kafkajs reports every request once it was answered, well or not. */
  saw({ apiName, sentAt, duration }: RequestEvent['payload']): void {
    if (!signsOfLife.has(apiName)) return
    // The clock was set back meanwhile: nobody knows how long it took, the next one will tell.
    this.#sent = duration < 0 ? never : { wall: sentAt, steady: performance.now() - duration }
  }

  /** The answer to the last sign of life was good. */
  taken(): void {
    this.#taken = this.#sent
  }
}
