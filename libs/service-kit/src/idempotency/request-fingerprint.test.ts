import { describe, expect, test } from '@jest/globals'
import { requestFingerprint } from './request-fingerprint.ts'

const of = (request: unknown, key?: Buffer) => requestFingerprint(request, key).toString('hex')

describe('requestFingerprint', () => {
  test('does not depend on the order of members', () => {
    expect(of({ a: 1, b: [{ c: 2, d: null }] })).toBe(of({ b: [{ d: null, c: 2 }], a: 1 }))
  })

  test.each([
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { a: '1' }],
    [{ a: null }, {}],
    [{ a: [1, 2] }, { a: [2, 1] }],
    [
      ['x', { a: {} }],
      ['x', { a: [] }],
    ],
    [JSON.parse('{"__proto__":1}'), {}],
    [{ a: 1 }, [['a', 1]]],
  ])('distinguishes %j from %j', (one, other) => {
    expect(of(one)).not.toBe(of(other))
  })

  test('depends on the key', () => {
    expect(of({ a: 1 }, Buffer.from('k'))).not.toBe(of({ a: 1 }))
    expect(of({ a: 1 }, Buffer.from('k'))).not.toBe(of({ a: 1 }, Buffer.from('l')))
    expect(of({ a: 1 }, Buffer.from('k'))).toBe(of({ a: 1 }, Buffer.from('k')))
  })
})
