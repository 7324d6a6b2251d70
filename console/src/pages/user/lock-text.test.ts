import { expect, it } from '@jest/globals'
import { lockText } from './lock-text.ts'

const lockOf = (client: string | null) => ({ client, lockedUntil: '2026-01-01T12:15:00.000Z' })

it('names the addresses, or says that the lock holds for all new ones', () => {
  expect(lockText([lockOf('203.0.113.7')])).toBe(
    'The user cannot sign in from 203.0.113.7. Other addresses are not locked.',
  )
  expect(lockText(['a', 'b', 'c', 'd', 'e'].map(lockOf))).toContain('from a, b, c, and 2 more.')
  expect(lockText([lockOf('a'), lockOf(null)])).toContain('only from addresses')
})
