export type RebalanceDrainOptions = {
  /** A member waits so long at most for what is in flight. */
  withinMs: number
  /** True when nothing is in flight and everything finished is committed. */
  isDrained: () => boolean
  /** True: start nothing; false: go on. */
  onChange: (isDraining: boolean) => void
}

/**
 * The time between the news of a rebalance and the next membership: nothing starts, what is in
 * flight ends and is committed, so that whoever gets the partitions repeats nothing.
 */
export class RebalanceDrain {
  readonly #options: RebalanceDrainOptions
  #since: number | null = null

  constructor(options: RebalanceDrainOptions) {
    this.#options = options
  }

  begin(): void {
    if (this.#since !== null) return
    this.#since = performance.now()
    this.#options.onChange(true)
  }

  /** Before each try to join: `false` puts it off. */
  mayJoin(): boolean {
    this.begin()
    const { withinMs, isDrained } = this.#options
    return isDrained() || performance.now() - (this.#since ?? 0) >= withinMs
  }

  /** The group was joined: with these partitions work goes on. */
  joined(): void {
    this.#since = null
    this.#options.onChange(false)
  }

  /**
   * The group takes a heartbeat of the membership that there was: kafkajs has given up a join that
   * failed (as while a coordinator loads), and reads on as before.
   */
  confirmed(): void {
    if (this.#since !== null) this.joined()
  }
}
