import { describe, expect, it } from '@jest/globals'
import { hash as argon2Hash, argon2id } from 'argon2'
import bcrypt from 'bcrypt'
import { hashPassword, importFault, needsRehash, verifyPassword } from './password-hash.ts'

const password = 'Zwölf Boxkämpfer 🥊'

describe('a password hash', () => {
  it('is argon2id with the parameters in it, and another one each time', async () => {
    const [one, two] = await Promise.all([hashPassword(password), hashPassword(password)])
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,p=1,t=2\$/)
    expect(one).not.toBe(two)
    expect(await verifyPassword(one, password)).toBe(true)
    expect(await verifyPassword(one, `${password} `)).toBe(false)
    expect(needsRehash(one)).toBe(false)
    expect(importFault(one)).toBeNull()
    const reordered = one.replace('m=19456,p=1,t=2', 'm=19456,t=2,p=1')
    expect([importFault(reordered), needsRehash(reordered)]).toEqual([null, false])
    expect(await verifyPassword(reordered, password)).toBe(true)
  })

  it('of bcrypt is verified under each of its names and due for a better one', async () => {
    const hash = await bcrypt.hash(password, 4)
    for (const name of ['2a', '2b', '2y']) {
      const named = hash.replace(/^\$2b\$/, `$${name}$`)
      expect([name, await verifyPassword(named, password)]).toEqual([name, true])
      expect([name, await verifyPassword(named, 'another one')]).toEqual([name, false])
      expect([name, importFault(named)]).toEqual([name, null])
      expect(needsRehash(named)).toBe(true)
    }
  })

  it('of argon2id with other parameters is verified and due for a better one', async () => {
    const hash = await argon2Hash(password, { type: argon2id, memoryCost: 4096, timeCost: 1 })
    expect(await verifyPassword(hash, password)).toBe(true)
    expect(needsRehash(hash)).toBe(true)
    expect(importFault(hash)).toBeNull()
  })

  it.each([
    '',
    'secret',
    '$2b$15$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZabcde',
    '$2b$31$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZabcde',
    '$2b$03$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZabcde',
    '$2b$10$short',
    '$2x$10$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZabcde',
    '$argon2i$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g',
    '$argon2id$v=19$m=4194304,t=2,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g',
    '$argon2id$v=19$m=19456,t=200,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g',
    '$argon2id$v=19$m=19456,t=2,t=2$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g',
    '$argon2id$v=19$m=4,t=1,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g',
    '$argon2id$v=19$m=19456,t=0,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g',
  ])('is not imported from %j', (given) => {
    expect(importFault(given)).toEqual(expect.any(String))
  })
})
