import type { Logger } from 'pino'
import type { RedisConnection } from '../config/connections.ts'
import { openRedis, type RedisClient } from './client.ts'

export type BackgroundRedis = AsyncDisposable & {
  /** The client once it has connected for the first time. */
  readonly client: RedisClient | null
  readonly isConfigured: boolean
}

/** Connects in the background, for a service that starts and is ready without Redis. */
export function openBackgroundRedis(
  connection: RedisConnection | null,
  log: Logger,
): BackgroundRedis {
  const stop = new AbortController()
  let client: RedisClient | null = null
  const opened =
    connection &&
    openRedis({ ...connection, log, signal: stop.signal }).then(
      (connected) => {
        client = connected
      },
      (err: unknown) => log.debug({ err }, 'redis.closed'),
    )
  return {
    isConfigured: connection !== null,
    get client() {
      return client
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await opened
      client?.destroy()
    },
  }
}
