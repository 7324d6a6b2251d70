import { randomUUID } from 'node:crypto'
import { type RedisUser, redisRulesOf } from '@surehook/contracts/redis-access'
import { openRedis, type RedisClient } from '@surehook/service-kit/redis/client'
import { silent } from './database.ts'

/** A connection with the rights of a service. Disposing it deletes its user. */
export type RedisAsUser = AsyncDisposable & { readonly client: RedisClient }

/** Connects to the Redis at `url` with only the rights that the service has in a secured system. */
export async function openRedisAs(service: RedisUser, url: string): Promise<RedisAsUser> {
  const admin = await openRedis({ url, log: silent })
  const user = `test-${randomUUID()}`
  await admin.sendCommand(['ACL', 'SETUSER', user, ...redisRulesOf(service), '>password'])
  const named = new URL(url)
  named.username = user
  named.password = 'password'
  const client = await openRedis({ url: named.href, log: silent })
  return {
    client,
    async [Symbol.asyncDispose]() {
      client.destroy()
      await admin.sendCommand(['ACL', 'DELUSER', user])
      admin.destroy()
    },
  }
}
