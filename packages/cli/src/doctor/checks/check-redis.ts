import { type Finding, findingsOf } from '@surehook/diagnosis/finding'
import { judgeRedis } from '@surehook/diagnosis/redis/judge-redis'
import { infoOf } from '@surehook/diagnosis/redis/redis-info'
import { reasonOf } from '@surehook/service-kit/errors'
import { createClient } from 'redis'
import { redisOptionsOf } from '../../lib/connections.ts'
import type { Target } from '../target.ts'

const { skipped } = findingsOf('redis')

export async function checkRedis({ env }: Target): Promise<Finding[]> {
  const client = createClient(redisOptionsOf(env))
  // Without a listener a lost connection would end the process. The command in flight rejects.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.ping()
    return judgeRedis(infoOf(await client.info()))
  } catch (err) {
    if (!reasonOf(err).startsWith('NOPERM')) throw err
    return [
      skipped('it answers, and its user may not ask for INFO: maxmemory-policy must be noeviction'),
    ]
  } finally {
    client.destroy()
  }
}
