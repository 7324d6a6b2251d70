import {
  circuitId,
  circuitKey,
  closedByRequest,
  closeRequestMs,
  loadKey,
} from '@surehook/contracts/circuits'
import { unavailable } from '@surehook/service-kit/errors'
import type { BackgroundRedis } from '@surehook/service-kit/redis/background-redis'
import type { RedisClient } from '@surehook/service-kit/redis/client'

/** An endpoint, and the subscriptions whose own circuits there count. */
export type EndpointOfWebhooks = { id: string; webhooks: readonly string[] }

export type CircuitReading = {
  /** The most of one circuit. */
  failures: number
  /** When the circuit that all subscriptions share closes, in epoch milliseconds; 0: closed. */
  openUntil: number
  inFlight: number
  /** The subscriptions whose own circuit has opened, and until when. */
  own: ReadonlyMap<string, number>
}

export type Circuits = {
  /**
   * Resolves with the readings in the order of the endpoints. Rejects with SERVICE_UNAVAILABLE
   * while Redis is away.
   */
  read(endpoints: readonly EndpointOfWebhooks[]): Promise<CircuitReading[]>
  close(endpoint: EndpointOfWebhooks): Promise<void>
  /** Like `close`, for endpoints that end. Does nothing in an installation without circuits. */
  closeAll(endpoints: readonly EndpointOfWebhooks[]): Promise<void>
}

const closeScript = `
redis.call('DEL', unpack(KEYS))
redis.call('HSET', KEYS[1], 'failures', 0, 'openUntil', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])`

/** Reads the circuits that the dispatchers keep in Redis. */
export function createCircuits(background: BackgroundRedis): Circuits {
  const redis = (): RedisClient => {
    if (!background.isConfigured) throw unavailable('REDIS_URL is not set')
    if (background.client === null) throw unavailable('Redis was not reached yet')
    return background.client
  }
  const close = async (endpoint: EndpointOfWebhooks): Promise<void> => {
    const options = {
      keys: [circuitKey(endpoint.id), ...ownKeys(endpoint)],
      arguments: [closedByRequest, String(closeRequestMs)],
    }
    await redis().eval(closeScript, options)
  }
  return {
    async read(endpoints) {
      const connected = redis()
      return Promise.all(endpoints.map((endpoint) => readCircuits(connected, endpoint)))
    },
    close,
    async closeAll(endpoints) {
      if (background.isConfigured) await Promise.all(endpoints.map(close))
    },
  }
}

const ownKeys = ({ id, webhooks }: EndpointOfWebhooks): string[] =>
  webhooks.map((webhookId) => circuitKey(circuitId({ endpointId: id, webhookId })))

async function readCircuits(
  redis: RedisClient,
  endpoint: EndpointOfWebhooks,
): Promise<CircuitReading> {
  const { id, webhooks } = endpoint
  const read = async (key: string) => {
    const [failures, openUntil] = await redis.hmGet(key, ['failures', 'openUntil'])
    return { failures: Number(failures), openUntil: Number(openUntil) }
  }
  const [shared, load, own] = await Promise.all([
    read(circuitKey(id)),
    redis.hmGet(loadKey(id), ['inFlight']),
    Promise.all(ownKeys(endpoint).map(read)),
  ])
  const until = webhooks.map((webhook, nth) => [webhook, own[nth]?.openUntil ?? 0] as const)
  return {
    failures: Math.max(shared.failures, ...own.map(({ failures }) => failures)),
    openUntil: shared.openUntil,
    inFlight: Number(load[0]),
    own: new Map(until.filter(([, openUntil]) => openUntil > 0)),
  }
}
