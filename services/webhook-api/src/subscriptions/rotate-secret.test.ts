import { randomBytes } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import type { SealedSecret } from '@surehook/contracts/events'
import { createSecretBox } from '@surehook/service-kit/crypto/secret-box'
import { replacedUntil, rotateSecret } from './rotate-secret.ts'

const box = createSecretBox(randomBytes(32))
const id = 'subscription-1'
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000)

function rotate(secrets: SealedSecret[], secret: string, [overlapS, second]: [number, number]) {
  return rotateSecret(box, { subscriptionId: id, secrets, secret, overlapS, now: at(second) })
}

const opened = (secrets: SealedSecret[]) =>
  secrets.map(({ ciphertext, validUntil }) => [box.open(ciphertext, id), validUntil])

describe('rotateSecret', () => {
  const first = rotate([], 'one', [60, 0])

  it('puts the new secret first and ends the old one after the overlap', () => {
    expect(opened(rotate(first, 'two', [60, 10]))).toEqual([
      ['two', null],
      ['one', at(70).toISOString()],
    ])
  })

  it('leaves only the new secret with an overlap of 0', () => {
    const two = rotate(first, 'two', [60, 10])
    expect(opened(rotate(two, 'three', [0, 20]))).toEqual([['three', null]])
  })

  it('keeps the earlier end of an already replaced secret, and drops it afterwards', () => {
    const two = rotate(first, 'two', [60, 10])
    expect(opened(rotate(two, 'three', [600, 20]))).toEqual([
      ['three', null],
      ['two', at(620).toISOString()],
      ['one', at(70).toISOString()],
    ])
    expect(opened(rotate(two, 'three', [600, 71]))).toEqual([
      ['three', null],
      ['two', at(671).toISOString()],
    ])
  })

  it('tells until when any replaced secret signs', () => {
    const two = rotate(first, 'two', [60, 10])
    const three = rotate(two, 'three', [30, 20])
    const endOf = (secrets: SealedSecret[], second: number) =>
      replacedUntil(secrets, at(second).getTime())
    expect([endOf(first, 0), endOf(two, 10)]).toEqual([null, at(70).toISOString()])
    expect([endOf(three, 49), endOf(three, 50)]).toEqual([at(50).toISOString(), null])
    expect(endOf(rotate(two, 'three', [600, 20]), 20)).toBe(at(620).toISOString())
  })

  it('does not sign twice with one secret', () => {
    expect(opened(rotate(first, 'one', [60, 10]))).toEqual([['one', null]])
    const two = rotate(first, 'two', [60, 10])
    expect(opened(rotate(two, 'one', [60, 20]))).toEqual([
      ['one', null],
      ['two', at(80).toISOString()],
    ])
  })

  it('keeps at most five secrets', () => {
    let secrets = first
    for (let n = 2; n < 12; n++) secrets = rotate(secrets, `secret ${n}`, [3600, n])
    expect(opened(secrets).map(([secret]) => secret)).toEqual([
      'secret 11',
      'secret 10',
      'secret 9',
      'secret 8',
      'secret 7',
    ])
  })

  it('replaces a secret whose key is lost', () => {
    const lost = [{ ciphertext: createSecretBox(randomBytes(32)).seal('x', id), validUntil: null }]
    expect(opened(rotate(lost, 'new', [60, 0]))).toEqual([['new', null]])
  })

  it('seals for this subscription only', () => {
    expect(() => box.open(first[0]?.ciphertext ?? '', 'another')).toThrow()
    expect(JSON.stringify(first)).not.toContain('one')
  })
})
