import type { Logger } from 'pino'
import { createClient } from 'redis'
import { backoffMs } from '../backoff.ts'
import type { RedisConnection } from '../config/connections.ts'
import { reasonOf } from '../errors.ts'

export type RedisOptions = RedisConnection & {
  log: Logger
  /** Ends the wait for a first connection. */
  signal?: AbortSignal
}

/** The connected client: `close()` it, or `await using`. */
export type RedisClient = Awaited<ReturnType<typeof openRedis>>

/**
 * Waits for a first connection, then reconnects for ever. While Redis is away commands fail at once
 * (and `toUnavailable` knows the error): nothing queues up that would run late.
 */
export async function openRedis({ url, ca, log, signal }: RedisOptions) {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    // A user that may do no more than it has to may neither say which library it uses nor ask for such notices.
    disableClientInfo: true,
    maintNotifications: 'disabled',
    // A server that hangs is found by the ping that gets no answer.
    pingInterval: 1_000,
    socket: {
      ...(ca && { tls: true, ca }),
      connectTimeout: 3_000,
      socketTimeout: 4_000,
      reconnectStrategy: (retries) => backoffMs(retries + 1, { firstMs: 50, longestMs: 2_000 }),
    },
  })
  let tries = 0
  client.on('error', (err: unknown) => {
    tries++
    const reason = reasonOf(err)
    log.warn({ dependency: 'redis', tries, reason }, 'dependency.waiting')
  })
  client.on('ready', () => {
    if (tries > 0) log.info({ dependency: 'redis', tries }, 'dependency.ready')
    tries = 0
  })
  const stopWaiting = () => client.destroy()
  signal?.addEventListener('abort', stopWaiting, { once: true })
  try {
    signal?.throwIfAborted()
    await client.connect()
    return client
  } catch (err) {
    signal?.throwIfAborted()
    throw err
  } finally {
    signal?.removeEventListener('abort', stopWaiting)
  }
}
