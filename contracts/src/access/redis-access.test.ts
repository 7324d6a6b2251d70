import { readFileSync } from 'node:fs'
import { expect, it } from '@jest/globals'
import { redisRulesOf, redisUsers } from './redis-access.ts'

it('equals deploy/redis/users.acl', () => {
  const file = readFileSync(new URL('../../../deploy/redis/users.acl', import.meta.url), 'utf8')
  const lines = redisUsers.map(
    (user) => `user ${user} #${'0'.repeat(64)} ${redisRulesOf(user).join(' ')}`,
  )
  expect(file.split('\n').filter((line) => line.startsWith('user '))).toEqual([
    'user default off resetkeys -@all',
    `user admin #${'0'.repeat(64)} on ~* &* +@all`,
    ...lines,
  ])
})

it('gives no user all keys or a server command', () => {
  for (const user of redisUsers) {
    const rules = redisRulesOf(user)
    expect(rules).not.toContain('~*')
    expect(rules.join(' ')).not.toMatch(
      /\+(@|flushall|flushdb|keys|config(?!\|get)|acl|debug|shutdown)/,
    )
  }
})
