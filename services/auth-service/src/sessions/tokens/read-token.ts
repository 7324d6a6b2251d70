import {
  type AccessClaims,
  invalidToken,
  tokenForm,
  verifyAccessJws,
} from '@surehook/token-verifier'
import { compactDecrypt, errors } from 'jose'
import type { SigningKeys, UsableKey } from '../../keys/signing-keys.ts'
import type { Tenant } from '../../platform/tenant.ts'
import type { Decryptions, TokenBearer } from './decryptions.ts'

export type Bearer = TokenBearer & { tenant: Tenant }

export type TokenReaderDeps = {
  keys: Pick<SigningKeys, 'find'>
  decryptions: Decryptions
  expectedOf: (tenant: Tenant) => Parameters<typeof verifyAccessJws>[2]
}

const decoder = new TextDecoder()

/**
 * Reads the claims of an unknown token with the keys of its tenant. Decrypts the token if it is
 * encrypted.
 */
export function createTokenReader({ keys, decryptions, expectedOf }: TokenReaderDeps) {
  function readSigned(tenant: Tenant, jws: string): Promise<AccessClaims> {
    const keyOf = async (kid: string) => (await keys.find(tenant, 'sig', kid))?.publicKey ?? null
    return verifyAccessJws(jws, { keyOf }, expectedOf(tenant))
  }
  return async (by: Bearer, token: string): Promise<AccessClaims> => {
    if (tokenForm(token).kind === 'jws') return readSigned(by.tenant, token)
    const key = await encryptionKey(keys, by.tenant, token)
    return decryptions.run(by, async () => readSigned(by.tenant, await decrypt(key, token)))
  }
}

/**
 * Finds the key that an encrypted token names. Refuses tokens of other issuers before a decryption.
 */
async function encryptionKey(
  keys: Pick<SigningKeys, 'find'>,
  tenant: Tenant,
  token: string,
): Promise<UsableKey> {
  const { alg, enc, cty, kid } = tokenForm(token).header
  if (alg !== 'RSA-OAEP-256' || enc !== 'A256GCM' || cty !== 'JWT') throw invalidToken('encryption')
  const key = typeof kid === 'string' ? await keys.find(tenant, 'enc', kid) : null
  if (key === null) throw invalidToken('unknown key')
  return key
}

/** Returns the signed token inside an encrypted one. */
async function decrypt({ privateKey }: UsableKey, token: string): Promise<string> {
  try {
    const { plaintext } = await compactDecrypt(token, privateKey, {
      keyManagementAlgorithms: ['RSA-OAEP-256'],
      contentEncryptionAlgorithms: ['A256GCM'],
    })
    return decoder.decode(plaintext)
  } catch (err) {
    if (err instanceof errors.JOSEError) throw invalidToken('ciphertext', err)
    throw err
  }
}
