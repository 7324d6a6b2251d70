import { randomUUID } from 'node:crypto'
import { boundedBy } from '@surehook/service-kit/bounded'
import { reasonOf } from '@surehook/service-kit/errors'
import type { RedisClient } from '@surehook/service-kit/redis/client'
import type { Logger } from '@surehook/service-kit/telemetry/log'

export type SharedSlotsOptions = {
  /** The client, once it has connected for the first time. */
  redis: () => Pick<RedisClient, 'eval'> | null
  log: Logger
  /** The time after which Redis forgets the slots of a replica that was killed. */
  leaseMs?: number
}

/**
 * Takes a slot for a stream, and forgets the slots of killed replicas, by the clock of Redis.
 * ARGV: the stream, the lease in milliseconds, the most slots.
 */
const enterScript = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`

/** ARGV: the lease in milliseconds, then the open streams of this replica. */
const renewScript = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
for n = 2, #ARGV do redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[n]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])`

const leaveScript = `redis.call('ZREM', KEYS[1], ARGV[1])`

const defaultLeaseMs = 30_000
/** A stream opens without its slot if Redis takes longer. */
const longestWaitMs = 250

/**
 * Counts the open streams of each owner, a tenant or a user, on all replicas, in Redis. While Redis is away, streams
 * open without a slot there: each replica then has its own limit, and the slots are counted again
 * once Redis answers.
 */
export class SharedSlots implements Disposable {
  readonly #options: SharedSlotsOptions
  readonly #leaseMs: number
  readonly #open = new Map<string, Set<string>>()
  readonly #timer: NodeJS.Timeout

  constructor(options: SharedSlotsOptions) {
    this.#options = options
    this.#leaseMs = options.leaseMs ?? defaultLeaseMs
    this.#timer = setInterval(() => this.#renew(), this.#leaseMs / 3)
  }

  /**
   * Takes one of the slots of an owner, which disposing gives back. Resolves with `null` if all are
   * taken.
   */
  async take(owner: string, most: number): Promise<Disposable | null> {
    const stream = randomUUID()
    const entered = await this.#ask(enterScript, owner, [stream, this.#leaseMs, most])
    if (entered === 0) return null
    const open = this.#open.get(owner)
    if (open === undefined) this.#open.set(owner, new Set([stream]))
    else open.add(stream)
    return { [Symbol.dispose]: () => this.#leave(owner, stream) }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #leave(owner: string, stream: string): void {
    const open = this.#open.get(owner)
    if (open?.delete(stream) !== true) return
    if (open.size === 0) this.#open.delete(owner)
    // Without an answer the slot ends with its lease.
    void this.#ask(leaveScript, owner, [stream])
  }

  #renew(): void {
    for (const [owner, open] of this.#open) {
      void this.#ask(renewScript, owner, [this.#leaseMs, ...open])
    }
  }

  /** Resolves with `null` if Redis does not answer in time. */
  async #ask(script: string, owner: string, args: (string | number)[]): Promise<unknown> {
    const { redis, log } = this.#options
    const keys = [`surehook:limit:webhooks:streams:${owner}`]
    try {
      const answer = redis()?.eval(script, { keys, arguments: args.map(String) })
      return answer ? await boundedBy(longestWaitMs, answer, 'Redis is slow') : null
    } catch (err) {
      log.debug({ reason: reasonOf(err) }, 'stream.place_not_counted')
      return null
    }
  }
}
