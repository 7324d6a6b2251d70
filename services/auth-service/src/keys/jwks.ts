import { createHash } from 'node:crypto'
import type { PublishedKey } from '@surehook/contracts/http/auth'
import { keyAlgorithms } from './key-pair.ts'
import type { KeyOwner } from './key-store.ts'
import type { SigningKeys } from './signing-keys.ts'

export type JwksAnswer = { body: { keys: PublishedKey[] }; headers: Record<string, string> }

/**
 * Reads the key set of a tenant for each request, so that a change shows at once on every replica.
 */
export async function readJwks(
  keys: Pick<SigningKeys, 'published'>,
  tenant: KeyOwner,
): Promise<JwksAnswer> {
  const published = await keys.published(tenant)
  const body = {
    keys: published.map(({ kid, use, publicKey: { n, e } }) => ({
      kty: 'RSA' as const,
      kid,
      use,
      alg: keyAlgorithms[use],
      n,
      e,
    })),
  }
  // The answer depends on these headers, which a shared cache ignores unless `Vary` names them.
  return { body, headers: { ...cacheHeaders(body), Vary: 'X-Project-Id, environment' } }
}

/** Lets clients cache the answer as long as verifiers may cache keys, and revalidate it by ETag. */
export function cacheHeaders(body: object): Record<'ETag' | 'Cache-Control', string> {
  const digest = createHash('sha256').update(JSON.stringify(body)).digest('base64url')
  return { ETag: `"${digest}"`, 'Cache-Control': 'max-age=300' }
}
