import { circuitKey, closedByRequest, loadKey } from '@surehook/contracts/circuits'
import type { Logger } from 'pino'
import type { createClient } from 'redis'

type Redis = Pick<ReturnType<typeof createClient>, 'eval' | 'hmGet' | 'del'>

export type CircuitState = {
  /** Consecutive failures so far. */
  failures: number
  /** Epoch ms until which the circuit is open; 0 if closed. */
  openUntil: number
  /** Epoch ms when it opened; 0 if unknown, or if it is closed. */
  openSince: number
}

export type CircuitStoreOptions = { threshold: number; forgetAfterMs: number; log: Logger }

const countFailure = `
local failures = redis.call('HINCRBY', KEYS[1], 'failures', 1)
if failures >= tonumber(ARGV[1]) then
  redis.call('HSET', KEYS[1], 'failures', 0, 'openUntil', ARGV[2], 'openSince', ARGV[4])
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return failures`

const findClosed = `
local closed = {}
for nth, key in ipairs(KEYS) do
  if redis.call('HMGET', key, 'openUntil')[1] == ARGV[1] then table.insert(closed, nth) end
end
return closed`

const writeLoads = `
for nth, key in ipairs(KEYS) do
  redis.call('HSET', key, 'inFlight', ARGV[nth + 1])
  redis.call('PEXPIRE', key, ARGV[1])
end`

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
      this.#redis.hmGet(circuitKey(endpointId), ['failures', 'openUntil', 'openSince']),
    )
    const [failures = 0, openUntil = 0, openSince = 0] = (found ?? []).map(Number)
    return { failures, openUntil, openSince }
  }

  /** Counts a failure. The one that reaches the threshold opens the circuit for this time. */
  async recordFailure(
    endpointId: string,
    { openSince, openUntil }: Pick<CircuitState, 'openSince' | 'openUntil'>,
  ): Promise<void> {
    const args = [this.#threshold, openUntil, this.forgetAfterMs, openSince].map(String)
    await this.#try(() =>
      this.#redis.eval(countFailure, { keys: [circuitKey(endpointId)], arguments: args }),
    )
  }

  /** Resets the count after a success or a cooldown. */
  async reset(endpointId: string): Promise<void> {
    await this.#try(() => this.#redis.del(circuitKey(endpointId)))
  }

  /** Which of these endpoints somebody wants closed. */
  async wantedClosed(endpointIds: readonly string[]): Promise<string[]> {
    const keys = endpointIds.map(circuitKey)
    const numbers = await this.#try(() =>
      this.#redis.eval(findClosed, { keys, arguments: [closedByRequest] }),
    )
    return ((numbers ?? []) as number[]).flatMap((nth) => endpointIds[nth - 1] ?? [])
  }

  /** Tells how many attempts are in flight, for a while. */
  async tellLoads(
    loads: readonly { endpointId: string; inFlight: number }[],
    forMs: number,
  ): Promise<void> {
    const keys = loads.map(({ endpointId }) => loadKey(endpointId))
    const args = [forMs, ...loads.map(({ inFlight }) => inFlight)].map(String)
    await this.#try(() => this.#redis.eval(writeLoads, { keys, arguments: args }))
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
