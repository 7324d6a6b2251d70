import { describe, expect, it } from '@jest/globals'
import { hash as argon2Hash, argon2id } from 'argon2'
import bcrypt from 'bcrypt'
import {
  foreignWorkOf,
  hashesOf,
  hashOfNobody,
  hashPassword,
  importFault,
  needsRehash,
  ownScheme,
  schemeOf,
  verifyPassword,
  workOf,
} from './password-hash.ts'

const password = 'Zwölf Boxkämpfer 🥊'

describe('a password hash', () => {
  it('is argon2id with its parameters, and different each time', async () => {
    const [one, two] = await Promise.all([hashPassword(password), hashPassword(password)])
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,p=1,t=2\$/)
    expect(one).not.toBe(two)
    expect(await verifyPassword(one, password)).toBe(true)
    expect(await verifyPassword(one, `${password} `)).toBe(false)
    expect(needsRehash(one, password)).toBe(false)
    expect(importFault(one)).toBeNull()
    const reordered = one.replace('m=19456,p=1,t=2', 'm=19456,t=2,p=1')
    expect([importFault(reordered), needsRehash(reordered, password)]).toEqual([null, false])
    expect(await verifyPassword(reordered, password)).toBe(true)
  })

  it('of bcrypt is verified under each of its names and due for a better one', async () => {
    const hash = await bcrypt.hash(password, 4)
    for (const name of ['2a', '2b', '2y']) {
      const named = hash.replace(/^\$2b\$/, `$${name}$`)
      expect([name, await verifyPassword(named, password)]).toEqual([name, true])
      expect([name, await verifyPassword(named, 'another one')]).toEqual([name, false])
      expect([name, importFault(named)]).toEqual([name, null])
      expect(needsRehash(named, password)).toBe(true)
    }
  })

  it('of argon2id with other parameters is verified and due for a better one', async () => {
    const hash = await argon2Hash(password, { type: argon2id, memoryCost: 4096, timeCost: 1 })
    expect(await verifyPassword(hash, password)).toBe(true)
    expect(needsRehash(hash, password)).toBe(true)
    expect(importFault(hash)).toBeNull()
  })

  it('of bcrypt is not replaced for a password of which bcrypt read only the beginning', async () => {
    const long = `${'a'.repeat(71)}é`
    const hash = await bcrypt.hash(long, 4)
    expect(await verifyPassword(hash, `${long} that is not it`)).toBe(true)
    expect(needsRehash(hash, long)).toBe(false)
    expect(needsRehash(hash, 'a'.repeat(72))).toBe(true)
  })

  it('states its scheme, and a hash that matches nothing can be made like it', async () => {
    const foreign = await argon2Hash(password, { type: argon2id, memoryCost: 4096, timeCost: 1 })
    for (const hash of [await hashPassword(password), foreign, await bcrypt.hash(password, 4)]) {
      const scheme = schemeOf(hash) ?? ''
      expect(hash.startsWith(scheme)).toBe(true)
      const nobody = hashOfNobody(scheme)
      expect([importFault(nobody), nobody.length]).toEqual([null, hash.length])
      expect(await verifyPassword(nobody, password)).toBe(false)
    }
    expect((await hashPassword(password)).startsWith(ownScheme)).toBe(true)
    expect([schemeOf('secret'), schemeOf(foreign.replace('p=4', 'p=4,'))]).toEqual([null, null])
  })

  it('of bcrypt may have up to 14 rounds, which count as 33 default hashes', () => {
    const digest = 'abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZabcde'
    for (const rounds of ['04', '12', '13', '14']) {
      expect(importFault(`$2b$${rounds}$${digest}`)).toBeNull()
    }
    expect([null, ownScheme, '$2b$12$', '$2b$14$'].map(hashesOf)).toEqual([1, 2, 9, 33])
  })

  it('has a foreign cost unless it uses the default parameters', async () => {
    const own = await hashPassword(password)
    expect([foreignWorkOf(own), foreignWorkOf(null), workOf(own)]).toEqual([null, null, 38_912])
    const bcrypts = [4, 9, 12].map(
      (rounds) => `$2b$${String(rounds).padStart(2, '0')}$${'a'.repeat(53)}`,
    )
    expect(bcrypts.map(foreignWorkOf)).toEqual([1216, 38_912, 311_296])
    const dear = own.replace('m=19456,p=1,t=2', 'm=65536,t=4,p=1')
    expect(foreignWorkOf(dear)).toBe(262_144)
    expect(foreignWorkOf(own.replace('p=1', 'p=2'))).toBe(38_912)
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
    '$argon2id$v=19$m=65537,t=2,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g',
    '$argon2id$v=19$m=19456,t=5,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g',
    '$argon2id$v=19$m=19456,t=2,t=2$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g',
    '$argon2id$v=19$m=4,t=1,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g',
    '$argon2id$v=19$m=19456,t=0,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g',
    '$argon2id$v=19$m=19456,t=2,p=5$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g',
    '$argon2id$v=19$m=19456,t=2,p=1,$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g',
    '$argon2id$v=19$m=19456t=2p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g',
    '$argon2id$v=19$m=019456,t=2,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g',
    '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g',
    '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2h',
  ])('is not imported from %j', (given) => {
    expect(importFault(given)).toEqual(expect.any(String))
  })
})
