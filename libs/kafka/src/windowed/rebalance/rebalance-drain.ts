export type RebalanceDrainOptions = {
  /** Longest wait in milliseconds for messages in flight. */
  withinMs: number
  /** True when nothing is in flight and all finished messages are committed. */
  isDrained: () => boolean
  /** Called with true: start nothing. With false: continue. */
  onChange: (isDraining: boolean) => void
}

/**
 * Drain between the notice of a rebalance and the next membership. Nothing starts, and work in
 * flight ends and is committed, so that the next owner repeats nothing.
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

  /** Called before each try to join. `false` delays it. */
  mayJoin(): boolean {
    this.begin()
    const { withinMs, isDrained } = this.#options
    return isDrained() || performance.now() - (this.#since ?? 0) >= withinMs
  }

  /** Called after a join: work continues with the assigned partitions. */
  joined(): void {
    this.#since = null
    this.#options.onChange(false)
  }

  /**
   * Called when the group accepts a heartbeat of the existing membership. kafkajs has then given up
   * a failed join (as while a coordinator loads) and continues to read.
   */
  confirmed(): void {
    if (this.#since !== null) this.joined()
  }
}
