import { circuitKey, closedByRequest, closeRequestMs, loadKey } from '@surehook/contracts/circuits'
import { unavailable } from '@surehook/service-kit/errors'
import type { BackgroundRedis } from '@surehook/service-kit/redis/background-redis'
import type { RedisClient } from '@surehook/service-kit/redis/client'

export type CircuitReading = {
  failures: number
  /** Epoch milliseconds; 0: closed. */
  openUntil: number
  inFlight: number
}

export type Circuits = {
  /**
   * Resolves with the readings in the order of the endpoints. Rejects with SERVICE_UNAVAILABLE
   * while Redis is away.
   */
  read(endpointIds: readonly string[]): Promise<CircuitReading[]>
  close(endpointId: string): Promise<void>
  /** Like `close`, for endpoints that end. Does nothing in an installation without circuits. */
  closeAll(endpointIds: readonly string[]): Promise<void>
}

const closeScript = `
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'failures', 0, 'openUntil', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])`

/** Reads the circuits that the dispatchers keep in Redis. */
export function createCircuits(background: BackgroundRedis): Circuits {
  const redis = (): RedisClient => {
    if (!background.isConfigured) throw unavailable('REDIS_URL is not set')
    if (background.client === null) throw unavailable('Redis was not reached yet')
    return background.client
  }
  const close = async (endpointId: string): Promise<void> => {
    const options = {
      keys: [circuitKey(endpointId)],
      arguments: [closedByRequest, String(closeRequestMs)],
    }
    await redis().eval(closeScript, options)
  }
  return {
    async read(endpointIds) {
      const connected = redis()
      return Promise.all(
        endpointIds.map(async (id) => {
          const [circuit, load] = await Promise.all([
            connected.hmGet(circuitKey(id), ['failures', 'openUntil']),
            connected.hmGet(loadKey(id), ['inFlight']),
          ])
          const [failures, openUntil] = circuit.map(Number)
          return { failures: failures ?? 0, openUntil: openUntil ?? 0, inFlight: Number(load[0]) }
        }),
      )
    },
    close,
    async closeAll(endpointIds) {
      if (background.isConfigured) await Promise.all(endpointIds.map(close))
    },
  }
}
