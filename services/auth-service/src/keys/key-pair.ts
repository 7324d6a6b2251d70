import { generateKeyPair, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import type { AuthSettings } from '@surehook/contracts/http/admin/auth-settings'

export type KeyUse = 'sig' | 'enc'

export const keyAlgorithms = { sig: 'RS256', enc: 'RSA-OAEP-256' } as const

/** The kinds of keys that an environment needs. */
export const usesOf = ({ encryptTokens }: Pick<AuthSettings, 'encryptTokens'>): KeyUse[] =>
  encryptTokens ? ['sig', 'enc'] : ['sig']

/** The members of a public JWK that differ between keys. */
export type PublicMembers = { n: string; e: string }

export type NewKeyPair = { kid: string; publicKey: PublicMembers; privatePem: string }

const generate = promisify(generateKeyPair)

/** Makes an RSA-2048 key pair. Takes about 100 ms, off the event loop. */
export async function newKeyPair(): Promise<NewKeyPair> {
  const { publicKey, privateKey } = await generate('rsa', { modulusLength: 2048 })
  const { n, e } = publicKey.export({ format: 'jwk' })
  if (n === undefined || e === undefined) throw new Error('Not an RSA key')
  return {
    kid: randomBytes(15).toString('base64url'),
    publicKey: { n, e },
    privatePem: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  }
}
