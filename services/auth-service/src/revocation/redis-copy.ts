import { unavailable } from '@surehook/service-kit/errors'
import type { RedisClient } from '@surehook/service-kit/redis/client'

/** Raises the bound of a session for some milliseconds. Never lowers or shortens it. */
export const addScript = `
local known = redis.call('GET', KEYS[1])
local bound = math.max(tonumber(ARGV[1]), tonumber(known or '0'))
local left = math.max(tonumber(ARGV[2]), redis.call('PTTL', KEYS[1]))
redis.call('SET', KEYS[1], string.format('%d', bound), 'PX', string.format('%d', left))
return 1`

/** Marks the copy as complete, unless the writer's lease is gone. */
export const completeScript = `
if redis.call('DEL', KEYS[1]) == 0 then return 0 end
redis.call('SET', KEYS[2], ARGV[1])
return 1`

export type RedisRun = {
  /** Changes whenever the client may have reached another server. */
  readonly connection: number
  /** The run id of the server, and the connection that it was read on. */
  current(): Promise<{ runId: string; connection: number }>
}

/**
 * Watches which run of Redis answers. A server that restarts with an old snapshot, or a replica
 * that takes over, looks complete but is not. Both break the connection.
 */
export function watchRun(redis: RedisClient): RedisRun {
  let connection = 0
  let known: { runId: string; connection: number } | null = null
  const changed = () => {
    connection += 1
    known = null
  }
  for (const event of ['connect', 'ready', 'error', 'reconnecting', 'end']) {
    redis.on(event, changed)
  }
  return {
    get connection() {
      return connection
    },
    async current() {
      if (known !== null) return known
      const asked = connection
      const runId = /run_id:(\w+)/.exec(await redis.info('server'))?.[1]
      if (runId === undefined) throw unavailable('Redis did not return its run_id')
      const found = { runId, connection: asked }
      if (asked === connection) known = found
      return found
    },
  }
}
