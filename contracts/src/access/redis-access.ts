/** The only clients of Redis. */
export const redisUsers = [
  'auth-service',
  'webhook-dispatcher',
  'webhook-api',
  'data-api',
  'postgres-source',
] as const

export type RedisUser = (typeof redisUsers)[number]

type Access = { keys: readonly string[]; commands: readonly string[] }

/** Commands that the client library sends when it connects and as its health check. */
const connecting = ['hello', 'auth', 'ping']

/** Limits of the requests to tables and sources. */
const limitsOfData: Access = {
  keys: ['surehook:limit:data:*'],
  commands: ['hmget', 'hset', 'pexpire', 'eval', 'time'],
}

const access: Record<RedisUser, Access> = {
  'auth-service': {
    keys: ['auth:*'],
    commands: [
      // Revocation list, and the run id of the server that holds it.
      ...['info', 'get', 'set', 'del', 'mget', 'pexpire', 'pttl', 'eval'],
      // Lockout and rate limits, inside scripts.
      ...[
        'time',
        'hget',
        'hset',
        'hdel',
        'hkeys',
        'incrby',
        'evalsha',
        'script|load',
        'multi',
        'exec',
      ],
      // Reads whether the server may evict keys.
      'config|get',
    ],
  },
  'webhook-dispatcher': {
    keys: ['surehook:circuit:*'],
    commands: ['hmget', 'hset', 'hincrby', 'pexpire', 'del', 'eval'],
  },
  // Shows circuits and closes them. Limits its requests.
  'webhook-api': {
    keys: ['surehook:circuit:*', 'surehook:limit:webhooks:*'],
    commands: [
      ...['hmget', 'hset', 'pexpire', 'del', 'eval', 'time'],
      // Counts open streams.
      ...['zadd', 'zcard', 'zrem', 'zremrangebyscore'],
    ],
  },
  'data-api': limitsOfData,
  'postgres-source': limitsOfData,
}

/**
 * Rules of a user for `ACL SETUSER`, without a password. They allow only its own keys and commands.
 */
export function redisRulesOf(user: RedisUser): readonly string[] {
  const { keys, commands } = access[user]
  return [
    'on',
    'resetkeys',
    ...keys.map((pattern) => `~${pattern}`),
    'resetchannels',
    '-@all',
    ...[...connecting, ...commands].map((command) => `+${command}`),
  ]
}
