import { randomBytes } from 'node:crypto'
import { expect, it } from '@jest/globals'
import { createReEncryption } from './re-encrypt.ts'
import { createSecretBox } from './secret-box.ts'

it('re-encrypts only secrets of another known key', () => {
  const [old, current] = [randomBytes(32), randomBytes(32)]
  const reEncrypt = createReEncryption([current, old])
  const anew = reEncrypt(createSecretBox(old).seal('secret', 'c'), 'c')
  if (typeof anew === 'string') throw new Error(anew)
  expect(createSecretBox(current).open(anew.sealed, 'c')).toBe('secret')
  expect(reEncrypt(anew.sealed, 'c')).toBe('current')
  expect(reEncrypt(anew.sealed, 'other')).toBe('unreadable')
  expect(reEncrypt(createSecretBox(randomBytes(32)).seal('secret', 'c'), 'c')).toBe('unreadable')
})
