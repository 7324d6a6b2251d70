import { describe, expect, it } from '@jest/globals'
import { FailedTokens } from './failed-tokens.ts'

function setUp(maxPerMinute: number) {
  let now = 1_000
  const failed = new FailedTokens({ maxPerMinute, now: () => now })
  const retryAfterS = (client: string): number | null => {
    try {
      failed.assertBelowLimit(client)
      return null
    } catch (err) {
      return (err as { retryAfterS: number }).retryAfterS
    }
  }
  return { failed, retryAfterS, pass: (ms: number) => void (now += ms) }
}

describe('FailedTokens', () => {
  it('limits a client for one minute from its first failed token', () => {
    const { failed, retryAfterS, pass } = setUp(3)
    failed.count('a')
    pass(20_000)
    failed.count('a')
    expect(retryAfterS('a')).toBeNull()
    failed.count('a')
    expect([retryAfterS('a'), retryAfterS('b')]).toEqual([40, null])
    pass(39_500)
    expect(retryAfterS('a')).toBe(1)
    pass(500)
    expect(retryAfterS('a')).toBeNull()
    failed.count('a')
    expect(retryAfterS('a')).toBeNull()
  })
})
