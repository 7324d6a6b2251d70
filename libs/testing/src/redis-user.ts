import { randomUUID } from 'node:crypto'
import { type RedisUser, redisRulesOf } from '@surehook/contracts/access/redis-access'
import { openRedis, type RedisClient } from '@surehook/service-kit/redis/client'
import { silent } from './database.ts'

const password = 'password'

/** A connection with the rights of a service. Disposing it deletes its user. */
export type RedisAsUser = AsyncDisposable & { readonly client: RedisClient }

/**
 * Returns the URL at which a service has only the rights that it has in a secured system, so that
 * its tests fail when it uses another command. The user stays: it is the same for all tests.
 */
export async function redisUrlAs(service: RedisUser, url: string): Promise<string> {
  const admin = await openRedis({ url, log: silent })
  await admin.sendCommand(['ACL', 'SETUSER', service, ...redisRulesOf(service), `>${password}`])
  admin.destroy()
  return urlOf(url, service)
}

/** Connects to the Redis at `url` with only the rights that the service has in a secured system. */
export async function openRedisAs(service: RedisUser, url: string): Promise<RedisAsUser> {
  const admin = await openRedis({ url, log: silent })
  const user = `test-${randomUUID()}`
  await admin.sendCommand(['ACL', 'SETUSER', user, ...redisRulesOf(service), `>${password}`])
  const client = await openRedis({ url: urlOf(url, user), log: silent })
  return {
    client,
    async [Symbol.asyncDispose]() {
      client.destroy()
      await admin.sendCommand(['ACL', 'DELUSER', user])
      admin.destroy()
    },
  }
}

function urlOf(url: string, user: string): string {
  const named = new URL(url)
  named.username = user
  named.password = password
  return named.href
}
