import type { Logger } from 'pino'
import type { createClient } from 'redis'

type Redis = Pick<ReturnType<typeof createClient>, 'eval' | 'hmGet' | 'del'>

export type CircuitState = {
  /** Consecutive failures so far. */
  failures: number
  /** Epoch ms until which the circuit is open; 0 if closed. */
  openUntil: number
}

export type CircuitStoreOptions = { threshold: number; forgetAfterMs: number; log: Logger }

const countFailure = `
local failures = redis.call('HINCRBY', KEYS[1], 'failures', 1)
if failures >= tonumber(ARGV[1]) then
  redis.call('HSET', KEYS[1], 'failures', 0, 'openUntil', ARGV[2])
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return failures`

/**
 * Stores circuit state in Redis, so that it survives the process and follows the partition. Losing
 * Redis loses no delivery: the owner continues its own count and logs a warning.
 */
export class CircuitStore {
  readonly #redis: Redis
  readonly #log: Logger
  readonly #threshold: number
  /**
   * A count expires after this time without a failure, because later failures are not consecutive
   * with it.
   */
  readonly forgetAfterMs: number

  constructor(redis: Redis, { threshold, forgetAfterMs, log }: CircuitStoreOptions) {
    this.#redis = redis
    this.#threshold = threshold
    this.forgetAfterMs = forgetAfterMs
    this.#log = log
  }

  async load(endpointId: string): Promise<CircuitState> {
    const found = await this.#try(() =>
      this.#redis.hmGet(key(endpointId), ['failures', 'openUntil']),
    )
    return { failures: Number(found?.[0] ?? 0), openUntil: Number(found?.[1] ?? 0) }
  }

  /** Counts a failure. The one that reaches the threshold opens the circuit until `openUntil`. */
  async recordFailure(endpointId: string, openUntil: number): Promise<void> {
    const args = [this.#threshold, openUntil, this.forgetAfterMs].map(String)
    await this.#try(() =>
      this.#redis.eval(countFailure, { keys: [key(endpointId)], arguments: args }),
    )
  }

  /** Resets the count after a success or a cooldown. */
  async reset(endpointId: string): Promise<void> {
    await this.#try(() => this.#redis.del(key(endpointId)))
  }

  async #try<T>(command: () => Promise<T>): Promise<T | undefined> {
    try {
      return await command()
    } catch (err) {
      this.#log.warn({ err }, 'circuit.store.unavailable')
      return undefined
    }
  }
}

const key = (endpointId: string) => `surehook:circuit:${endpointId}`
