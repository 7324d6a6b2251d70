import { createSecretBox } from '@surehook/service-kit/crypto/secret-box'
import { importPKCS8 } from 'jose'
import type { AuthClient } from './auth-client.ts'
import { sql } from './sql.ts'
import { encryptionKey, type World } from './under-test.ts'

/** Returns the newest key of an environment, opened with the service's encryption key. */
export async function storedKey(world: World, of: AuthClient, use: 'sig' | 'enc') {
  const [row] = await sql<{ kid: string; sealed: string; publicKey: { n: string; e: string } }>(
    world,
    `select kid, sealed_private_key as sealed, public_key as "publicKey" from signing_key
      where project_id = $1 and environment = $2 and use = $3 order by active_from desc limit 1`,
    [of.projectId, of.environment, use],
  )
  if (row === undefined) throw new Error(`There is no ${use} key`)
  const context = `signing-key/${of.projectId}/${of.environment}/${row.kid}`
  const pem = createSecretBox(encryptionKey).open(row.sealed, context)
  const key = await importPKCS8(pem, use === 'sig' ? 'RS256' : 'RSA-OAEP-256')
  return { kid: row.kid, pem, key, publicKey: row.publicKey }
}

export type StoredKey = Awaited<ReturnType<typeof storedKey>>
