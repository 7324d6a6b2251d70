import { randomBytes } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { createSecretBox } from './secret-box.ts'

const box = createSecretBox(randomBytes(32))

describe('createSecretBox', () => {
  it('decrypts what it encrypted', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (secret, context) => {
        expect(box.open(box.seal(secret, context), context)).toBe(secret)
      }),
    )
  })

  it('never produces the same text twice, and reveals nothing of the secret', () => {
    const sealed = [box.seal('whsec_1', 'a'), box.seal('whsec_1', 'a')]
    expect(sealed[0]).not.toBe(sealed[1])
    expect(sealed[0]).toMatch(/^v1\.[\w-]{16}\.[\w-]+\.[\w-]{22}$/)
    expect(sealed.join()).not.toContain('whsec')
  })

  it('opens only with the same key and context', () => {
    const sealed = box.seal('secret', 'subscription-1')
    expect(() => box.open(sealed, 'subscription-2')).toThrow()
    expect(() => createSecretBox(randomBytes(32)).open(sealed, 'subscription-1')).toThrow()
  })

  it('opens secrets of a previous key, and seals with the current one', () => {
    const [old, current] = [randomBytes(32), randomBytes(32)]
    const both = createSecretBox(current, randomBytes(32), old)
    expect(both.open(createSecretBox(old).seal('secret', 'c'), 'c')).toBe('secret')
    expect(createSecretBox(current).open(both.seal('secret', 'c'), 'c')).toBe('secret')
    expect(() => both.open(createSecretBox(randomBytes(32)).seal('secret', 'c'), 'c')).toThrow()
    expect(() => both.open(createSecretBox(old).seal('secret', 'c'), 'other')).toThrow()
  })

  it('refuses a text with any change', () => {
    const sealed = box.seal('secret', 'c')
    for (let at = 0; at < sealed.length; at++) {
      const other = sealed[at] === 'A' ? 'B' : 'A'
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1)
      if (
        Buffer.from(changed.slice(3), 'base64url').equals(Buffer.from(sealed.slice(3), 'base64url'))
      ) {
        continue
      }
      expect(() => box.open(changed, 'c')).toThrow()
    }
  })

  it.each(['', 'v1', 'v2.a.b.c', 'v1.a.b', 'v1.a.b.c.d', 'v1...', 'v1.AAAA.AAAA.AAAA'])(
    'refuses %j',
    (text) => expect(() => box.open(text, 'c')).toThrow(),
  )

  it('needs a key of 32 bytes', () => {
    expect(() => createSecretBox(randomBytes(16))).toThrow('32 bytes')
  })
})
