import { expect, it } from '@jest/globals'
import { secretFingerprint } from './secret-fingerprint.ts'

const id = '0199d2a0-0000-7000-8000-000000000001'

it('stays the same: files that were applied by another version compare with it', () => {
  expect(secretFingerprint(id, 's3cret')).toBe('B6rmdBKITLHu8tDKgtvyBQ')
})

it('differs by value and by subscription', () => {
  const other = '0199d2a0-0000-7000-8000-000000000002'
  const all = [
    secretFingerprint(id, 'a'),
    secretFingerprint(id, 'b'),
    secretFingerprint(other, 'a'),
  ]
  expect(new Set(all).size).toBe(3)
})
