import { expect, it } from '@jest/globals'
import { isFingerprintOf, secretFingerprint } from './secret-fingerprint.ts'

const id = '0199d2a0-0000-7000-8000-000000000001'

it('stays the same: files that were applied by another version compare with it', () => {
  expect(secretFingerprint(id, 's3cret'.repeat(4))).toBe('5bcSZ9n7hv180lG6fPChUA')
})

it('differs by value and by subscription', () => {
  const other = '0199d2a0-0000-7000-8000-000000000002'
  const [a, b] = ['a'.repeat(24), 'b'.repeat(24)]
  const all = [secretFingerprint(id, a), secretFingerprint(id, b), secretFingerprint(other, a)]
  expect(new Set(all).size).toBe(3)
})

it.each(['hunter2', 'x'.repeat(23), `whsec_${'x'.repeat(23)}`, `Bearer ${'x'.repeat(23)}`])(
  'is absent for a secret that can be guessed: %s',
  (value) => {
    expect(secretFingerprint(id, value)).toBeUndefined()
    expect(isFingerprintOf(undefined, { subscriptionId: id, value })).toBeUndefined()
  },
)

it.each([
  'x'.repeat(24),
  `whsec_${'x'.repeat(24)}`,
  `Bearer ${'x'.repeat(24)}`,
  'no credentials, '.repeat(2),
])('belongs to one value: %s', (value) => {
  const print = secretFingerprint(id, value)
  expect(isFingerprintOf(print, { subscriptionId: id, value })).toBe(true)
  expect(isFingerprintOf(print, { subscriptionId: id, value: `${value}2` })).toBe(false)
  expect(isFingerprintOf(undefined, { subscriptionId: id, value })).toBe(false)
})
