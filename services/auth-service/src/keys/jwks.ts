import { createHash } from 'node:crypto'
import type { PublishedKey } from '@surehook/contracts/http/auth'
import { keyAlgorithms } from './key-pair.ts'
import type { KeyOwner } from './key-store.ts'
import type { SigningKeys } from './signing-keys.ts'

export type JwksAnswer = { body: { keys: PublishedKey[] }; headers: Record<string, string> }

/** The key set of a tenant, read anew for each request, so that a change shows at once on every replica. */
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
  // The answer depends on headers that a shared cache would not look at by itself.
  return { body, headers: { ...cacheHeaders(body), Vary: 'X-Project-Id, environment' } }
}

/** Readers may keep it as long as verifiers may keep keys, and ask for it again by what it was. */
export function cacheHeaders(body: object): Record<'ETag' | 'Cache-Control', string> {
  const digest = createHash('sha256').update(JSON.stringify(body)).digest('base64url')
  return { ETag: `"${digest}"`, 'Cache-Control': 'max-age=300' }
}
