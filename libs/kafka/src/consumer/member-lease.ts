import type { RequestEvent } from 'kafkajs'

/** Requests that prove to the group that a member is alive. */
const signsOfLife = new Set(['Heartbeat', 'SyncGroup'])

const never = { wall: 0, steady: -Infinity }

/**
 * Time for which a member can be sure of its partitions. The group gives them to no other member
 * before its session ends, counted from the last accepted heartbeat. A process that was stopped or
 * lost its broker thus knows that it may have been replaced.
 */
export class MemberLease {
  readonly #forMs: number
  #sent = never
  #taken = never

  /**
   * @param forMs milliseconds, shorter than the session timeout, so that work started at the end
   *   still begins within the session
   */
  constructor(forMs: number) {
    this.#forMs = forMs
  }

  get holds(): boolean {
    // Two clocks, because the wall clock may be set, and the monotonic clock stops while the
    // machine sleeps.
    const { wall, steady } = this.#taken
    return Date.now() - wall < this.#forMs && performance.now() - steady < this.#forMs
  }

  /** Notes a request. kafkajs reports every request once it was answered, successfully or not. */
  saw({ apiName, sentAt, duration }: RequestEvent['payload']): void {
    if (!signsOfLife.has(apiName)) return
    // The clock was set back during the request, so its duration is unknown. The next request
    // renews the lease.
    this.#sent = duration < 0 ? never : { wall: sentAt, steady: performance.now() - duration }
  }

  /** Notes that the group accepted the last heartbeat. */
  taken(): void {
    this.#taken = this.#sent
  }
}
