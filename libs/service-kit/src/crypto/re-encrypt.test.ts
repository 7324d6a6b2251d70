import { randomBytes } from 'node:crypto'
import { expect, it } from '@jest/globals'
import { createReEncryption } from './re-encrypt.ts'
import { createSecretBox } from './secret-box.ts'

it('re-encrypts only secrets of another known key', () => {
  const [old, current] = [randomBytes(32), randomBytes(32)]
  const reEncrypt = createReEncryption([current, old])
  const reEncrypted = reEncrypt(createSecretBox(old).seal('secret', 'c'), 'c')
  if (typeof reEncrypted === 'string') throw new Error(reEncrypted)
  expect(createSecretBox(current).open(reEncrypted.sealed, 'c')).toBe('secret')
  expect(reEncrypt(reEncrypted.sealed, 'c')).toBe('current')
  expect(reEncrypt(reEncrypted.sealed, 'other')).toBe('unreadable')
  expect(reEncrypt(createSecretBox(randomBytes(32)).seal('secret', 'c'), 'c')).toBe('unreadable')
})
