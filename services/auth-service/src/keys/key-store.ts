import type { SecretBox } from '@surehook/service-kit/crypto/secret-box'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Pool, PoolClient } from 'pg'
import type { Tenant, TenantName } from '../platform/tenant.ts'
import { type KeyUse, newKeyPair, type PublicMembers } from './key-pair.ts'
import { isDueForRotation, type KeyTimes } from './key-schedule.ts'

/** The owner of keys. Keys that are read without an epoch are never served from the cache. */
export type KeyOwner = TenantName & Pick<Tenant, 'settings'> & { readonly keyEpoch?: number }

export type StoredKey = KeyTimes & { publicKey: PublicMembers; sealedPrivateKey: string }

export type KeyStore = {
  find(tenant: TenantName): Promise<StoredKey[]>
  /** Makes the first key of each use that has none. Simultaneous calls make one key. */
  ensure(tenant: TenantName, uses: readonly KeyUse[]): Promise<StoredKey[]>
  /**
   * Makes new keys for the uses that are due, or for all. Makes none for a use that already has a
   * waiting key.
   */
  rotate(tenant: TenantName, which: 'due' | 'all'): Promise<StoredKey[]>
  /**
   * Deletes all keys and makes new ones, active at once. Raise the key epoch in the same
   * transaction.
   */
  replace(tx: PoolClient, tenant: TenantName): Promise<StoredKey[]>
  /**
   * Raises the longest token lifetime of this key only: raising that of an ended key would make it
   * valid again.
   */
  noteTtl(tenant: TenantName, kid: string, ttlS: number): Promise<void>
  open(tenant: TenantName, key: StoredKey): string
}

export type KeyStoreOptions = {
  pool: Pool
  box: SecretBox
  maxAgeMs: number
  /** How long a new key is published before its first use. */
  leadMs: number
}

export function createKeyStore({ pool, box, maxAgeMs, leadMs }: KeyStoreOptions): KeyStore {
  const add = async (tx: PoolClient, tenant: TenantName, key: { use: KeyUse; waitMs: number }) => {
    const { kid, publicKey, privatePem } = await newKeyPair()
    const sealed = box.seal(privatePem, signingKeyContext(tenant, kid))
    await insertKey(tx, tenant, { ...key, kid, publicKey, sealed })
  }
  return {
    find: (tenant) => findKeys(pool, tenant),
    ensure: (tenant, uses) =>
      alone(pool, tenant, async (tx, keys) => {
        const missing = uses.filter((use) => keys.every((key) => key.use !== use))
        for (const use of missing) await add(tx, tenant, { use, waitMs: 0 })
      }),
    rotate: (tenant, which) =>
      alone(pool, tenant, async (tx, keys) => {
        const age = { nowMs: Date.now(), maxAgeMs }
        // A waiting key counts as the new one.
        const coming = new Set(keys.filter(isComing(age.nowMs)).map(({ use }) => use))
        const isDue = (use: KeyUse) => which === 'all' || isDueForRotation(keys, use, age)
        const uses = new Set(keys.map(({ use }) => use))
        const due = [...uses].filter((use) => !coming.has(use) && isDue(use))
        for (const use of due) await add(tx, tenant, { use, waitMs: leadMs })
      }),
    replace: (tx, tenant) =>
      aloneWithin(tx, tenant, async (keys) => {
        await removeKeys(tx, tenant)
        for (const use of new Set(keys.map((key) => key.use))) {
          await add(tx, tenant, { use, waitMs: 0 })
        }
      }),
    async noteTtl({ projectId, environment }, kid, ttlS) {
      await pool.query(
        `update signing_key set longest_ttl = $4
          where project_id = $1 and environment = $2 and kid = $3 and longest_ttl < $4`,
        [projectId, environment, kid, ttlS],
      )
    },
    open: (tenant, { kid, sealedPrivateKey }) =>
      box.open(sealedPrivateKey, signingKeyContext(tenant, kid)),
  }
}

const isComing =
  (nowMs: number) =>
  ({ activeFrom }: StoredKey): boolean =>
    activeFrom > nowMs

/** The context that seals a private key: a key opens only under its own tenant and `kid`. */
export const signingKeyContext = ({ projectId, environment }: TenantName, kid: string): string =>
  `signing-key/${projectId}/${environment}/${kid}`

/**
 * Runs `change` under a lock per tenant, over all replicas; `change` sees the keys that the
 * previous one left.
 */
function alone(
  pool: Pool,
  tenant: TenantName,
  change: (tx: PoolClient, keys: readonly StoredKey[]) => Promise<void>,
): Promise<StoredKey[]> {
  return inTransaction(pool, (tx) => aloneWithin(tx, tenant, (keys) => change(tx, keys)))
}

async function aloneWithin(
  tx: PoolClient,
  tenant: TenantName,
  change: (keys: readonly StoredKey[]) => Promise<void>,
): Promise<StoredKey[]> {
  const { projectId, environment } = tenant
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('signing-key/' || $1, 0))`, [
    `${projectId}/${environment}`,
  ])
  await change(await findKeys(tx, tenant))
  return findKeys(tx, tenant)
}

async function findKeys(
  db: Pool | PoolClient,
  { projectId, environment }: TenantName,
): Promise<StoredKey[]> {
  const { rows } = await db.query<
    Omit<StoredKey, 'createdAt' | 'activeFrom'> & { createdAt: Date; activeFrom: Date }
  >({
    name: 'signing-keys',
    text: `select kid, use, public_key as "publicKey", sealed_private_key as "sealedPrivateKey",
                  longest_ttl as "longestTtl", created_at as "createdAt", active_from as "activeFrom"
             from signing_key
            where project_id = $1 and environment = $2
            order by use desc, active_from, kid`,
    values: [projectId, environment],
  })
  return rows.map((row) => ({
    ...row,
    createdAt: row.createdAt.getTime(),
    activeFrom: row.activeFrom.getTime(),
  }))
}

async function removeKeys(tx: PoolClient, { projectId, environment }: TenantName): Promise<void> {
  await tx.query('delete from signing_key where project_id = $1 and environment = $2', [
    projectId,
    environment,
  ])
}

type NewKey = {
  use: KeyUse
  waitMs: number
  kid: string
  publicKey: PublicMembers
  sealed: string
}

async function insertKey(
  tx: PoolClient,
  { projectId, environment }: TenantName,
  { use, waitMs, kid, publicKey, sealed }: NewKey,
): Promise<void> {
  // The new key takes over the longest token lifetime of the keys before it, so that settings need
  // not be read here.
  await tx.query(
    `insert into signing_key
       (project_id, environment, kid, use, public_key, sealed_private_key, active_from, longest_ttl)
     values ($1, $2, $3, $4, $5, $6, clock_timestamp() + $7 * interval '1 millisecond',
             coalesce((select max(longest_ttl) from signing_key
                        where project_id = $1 and environment = $2), 0))`,
    [projectId, environment, kid, use, publicKey, sealed, waitMs],
  )
}
