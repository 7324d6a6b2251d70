import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { redisRulesOf, redisUsers } from '@surehook/contracts/access/redis-access'
import type { Credentials } from './credentials.ts'

/** Settings of a server that accepts only TLS and the users of its list. */
export async function securedRedisSettings(
  dir: string,
  { port, credentials }: { port: number; credentials: Credentials },
): Promise<Record<string, string | number>> {
  const { certificateFile, keyFile, caFile, redis } = credentials
  const aclFile = `${dir}/users.acl`
  const digest = (text: string) => `#${createHash('sha256').update(text).digest('hex')}`
  const users = redisUsers.map((user) => [user, digest(redis[user]), ...redisRulesOf(user)])
  const lines = [
    ['default', 'off', 'resetkeys', '-@all'],
    ['admin', digest(redis.admin), 'on', '~*', '&*', '+@all'],
    ...users,
  ]
  await writeFile(aclFile, lines.map((words) => `user ${words.join(' ')}\n`).join(''), {
    mode: 0o600,
  })
  return {
    port: 0,
    'tls-port': port,
    'tls-cert-file': certificateFile,
    'tls-key-file': keyFile,
    'tls-ca-cert-file': caFile,
    'tls-auth-clients': 'no',
    aclfile: aclFile,
  }
}
