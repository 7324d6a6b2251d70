/** Who connects to Redis. Nobody else does. */
export const redisUsers = ['auth-service', 'webhook-dispatcher', 'webhook-api'] as const

export type RedisUser = (typeof redisUsers)[number]

type Access = { keys: readonly string[]; commands: readonly string[] }

/** What the client library says on a connection, and asks it to find out whether it is alive. */
const connecting = ['hello', 'auth', 'ping']

const access: Record<RedisUser, Access> = {
  'auth-service': {
    keys: ['auth:*'],
    commands: [
      // The blacklist, and which run of the server has it.
      ...['info', 'get', 'set', 'del', 'mget', 'pexpire', 'pttl', 'eval'],
      // Lockout and limits, inside scripts.
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
      // Whether the server may evict.
      'config|get',
    ],
  },
  'webhook-dispatcher': {
    keys: ['surehook:circuit:*'],
    commands: ['hmget', 'hset', 'hincrby', 'pexpire', 'del', 'eval'],
  },
  // Shows circuits, and closes them.
  'webhook-api': {
    keys: ['surehook:circuit:*'],
    commands: ['hmget', 'hset', 'pexpire', 'del', 'eval'],
  },
}

/** The rules of a user as `ACL SETUSER` takes them, without a password: nothing, but for its own keys and commands. */
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
