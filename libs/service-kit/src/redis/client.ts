import type { Logger } from 'pino'
import { createClient } from 'redis'
import { backoffMs } from '../backoff.ts'
import type { RedisConnection } from '../config/connections.ts'
import { reasonOf } from '../errors.ts'

export type RedisOptions = RedisConnection & {
  log: Logger
  /** Ends the wait for the first connection. */
  signal?: AbortSignal
}

/** A connected client. Call `close()`, or use `await using`. */
export type RedisClient = Awaited<ReturnType<typeof openRedis>>

/**
 * Waits for the first connection, then reconnects without limit. While Redis is unreachable
 * commands fail at once with an error that `toUnavailable` recognises. No command is queued and run
 * late.
 */
export async function openRedis({ url, ca, log, signal }: RedisOptions) {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    // A user with minimal rights may neither send its library's name nor request such notices.
    disableClientInfo: true,
    maintNotifications: 'disabled',
    // A ping without an answer reveals a server that hangs.
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
