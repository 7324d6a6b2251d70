import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import { scramVerifier } from './scram-verifier.ts'

const salt = Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64')
const bytes = (text = '') => Buffer.from(text, 'base64')
const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest()

describe('scramVerifier', () => {
  it('matches the example of RFC 7677 §3', async () => {
    const nonce = 'rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0'
    const exchange = `n=user,r=rOprNGfwEbeRWgbNEkqO,r=${nonce},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws,r=${nonce}`
    const proof = bytes('dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=')

    const verifier = await scramVerifier('pencil', salt)
    const [scheme, parameters, keys = ''] = verifier.split('$')
    expect([scheme, parameters]).toEqual(['SCRAM-SHA-256', '4096:W22ZaJ0SNY7soEsUEjb6gQ=='])
    const [storedKey, serverKey] = keys.split(':').map(bytes)
    if (storedKey === undefined || serverKey === undefined) throw new Error(verifier)
    const mask = hmac(storedKey, exchange)
    const clientKey = proof.map((byte, index) => byte ^ (mask[index] ?? 0))
    expect(createHash('sha256').update(clientKey).digest()).toEqual(storedKey)
    expect(hmac(serverKey, exchange).toString('base64')).toBe(
      '6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=',
    )
  })

  it('uses a new salt of 16 bytes each time', async () => {
    const [one, two] = await Promise.all([scramVerifier('pencil'), scramVerifier('pencil')])
    expect(one).not.toBe(two)
    expect(one).toMatch(/^SCRAM-SHA-256\$4096:[\w+/]{22}==\$[\w+/]{43}=:[\w+/]{43}=$/)
  })

  // The examples of RFC 4013 §3 that are not prohibited, and a space.
  it.each([
    ['I\u00adX', 'IX'],
    ['user', 'user'],
    ['USER', 'USER'],
    ['\u00aa', 'a'],
    ['\u2168', 'IX'],
    ['a\u1680b', 'a b'],
  ])('prepares %j as %j', async (given, prepared) => {
    expect(await scramVerifier(given, salt)).toBe(await scramVerifier(prepared, salt))
  })
})
