import { circuitKey, closedByRequest, loadKey } from '@surehook/contracts/circuits'
import type { EndpointPlace } from '@surehook/contracts/ids'
import type { Logger } from 'pino'
import type { createClient } from 'redis'

type Redis = Pick<ReturnType<typeof createClient>, 'eval' | 'hmGet' | 'del'>

export type CircuitState = {
  /** Consecutive failures so far. */
  failures: number
  /** Epoch ms until which the circuit is open; 0 if closed. */
  openUntil: number
  /** Epoch ms when it opened; 0 if it is closed. */
  openSince: number
  /** The endpoint's address if an event is published for this opening; otherwise null. */
  place: EndpointPlace | null
  /** The `openUntil` of the last opening whose event is published. */
  publishedUntil: number
}

/** A failure of an endpoint. */
export type CircuitFailure = Pick<CircuitState, 'failures' | 'openSince' | 'openUntil' | 'place'>

export type CircuitStoreOptions = { forgetAfterMs: number; log: Logger }

// The owner's count applies, because Redis may have lost some of it.
const countFailure = `
redis.call('HSET', KEYS[1], 'failures', ARGV[1])
if ARGV[1] == '0' then
  redis.call('HSET', KEYS[1], 'openUntil', ARGV[2], 'openSince', ARGV[5])
end
if ARGV[4] ~= '' then redis.call('HSET', KEYS[1], 'place', ARGV[4]) end
redis.call('PEXPIRE', KEYS[1], ARGV[3])`

const markPublished = `
if redis.call('HMGET', KEYS[1], 'openUntil')[1] == ARGV[1] then
  redis.call('HSET', KEYS[1], 'publishedUntil', ARGV[1])
end`

// Keeps a later opening. Also deletes failures counted after the end of this one: memory has them.
const forgetOpening = `
local openUntil = redis.call('HMGET', KEYS[1], 'openUntil')[1]
if not openUntil or openUntil == ARGV[1] or openUntil == ARGV[2] then
  redis.call('DEL', KEYS[1])
end`

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
  /**
   * A count expires after this time without a failure, because later failures are not consecutive
   * with it.
   */
  readonly forgetAfterMs: number

  constructor(redis: Redis, { forgetAfterMs, log }: CircuitStoreOptions) {
    this.#redis = redis
    this.forgetAfterMs = forgetAfterMs
    this.#log = log
  }

  async load(circuitId: string): Promise<CircuitState> {
    const found = await this.#try(() =>
      this.#redis.hmGet(circuitKey(circuitId), [
        'failures',
        'openUntil',
        'openSince',
        'place',
        'publishedUntil',
      ]),
    )
    const [failures, openUntil, openSince, place, publishedUntil] = found ?? []
    return {
      failures: Number(failures ?? 0),
      openUntil: Number(openUntil ?? 0),
      openSince: Number(openSince ?? 0),
      place: place ? (JSON.parse(place) as EndpointPlace) : null,
      publishedUntil: Number(publishedUntil ?? 0),
    }
  }

  /** Stores the count after a failure. 0 failures: the circuit has opened until `openUntil`. */
  async recordFailure(circuitId: string, failure: CircuitFailure): Promise<void> {
    const { failures, openSince, openUntil, place } = failure
    const placeText = place === null ? '' : JSON.stringify(place)
    const args = [failures, openUntil, this.forgetAfterMs, placeText, openSince].map(String)
    await this.#try(() =>
      this.#redis.eval(countFailure, { keys: [circuitKey(circuitId)], arguments: args }),
    )
  }

  /** The event of the opening is published. */
  async markPublished(circuitId: string, openUntil: number): Promise<void> {
    const options = { keys: [circuitKey(circuitId)], arguments: [String(openUntil)] }
    await this.#try(() => this.#redis.eval(markPublished, options))
  }

  /** The event of its end is published. */
  async forgetOpening(circuitId: string, openUntil: number): Promise<void> {
    const args = [String(openUntil), closedByRequest]
    const options = { keys: [circuitKey(circuitId)], arguments: args }
    await this.#try(() => this.#redis.eval(forgetOpening, options))
  }

  /** Resets the count after a success or a cooldown. */
  async reset(circuitId: string): Promise<void> {
    await this.#try(() => this.#redis.del(circuitKey(circuitId)))
  }

  /** Returns the endpoints whose circuit a request asks to close. */
  async wantedClosed(endpointIds: readonly string[]): Promise<string[]> {
    const keys = endpointIds.map(circuitKey)
    const numbers = await this.#try(() =>
      this.#redis.eval(findClosed, { keys, arguments: [closedByRequest] }),
    )
    return ((numbers ?? []) as number[]).flatMap((nth) => endpointIds[nth - 1] ?? [])
  }

  /** Stores how many attempts are in flight. The numbers expire after `forMs`. */
  async writeLoads(
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
