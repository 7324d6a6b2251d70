import type { Pool } from 'pg'
import { hastenLeftSlots } from '../left-slots/left-slot-store.ts'
import type { Tenant } from '../source-row.ts'
import type { DropSource } from './drop-source.ts'
import { findSources } from './source-store.ts'

/**
 * Deletes the sources of an environment and drops their slots, as far as their databases answer. The
 * other slots are tried on, and nothing waits for them.
 * @returns true if there were any
 */
export async function purgeEnvironment(
  pool: Pool,
  tenant: Tenant,
  { drop, mayGoOn }: { drop: DropSource; mayGoOn: () => Promise<boolean> },
): Promise<boolean> {
  const sources = await findSources(pool, tenant)
  // Together: a database that does not answer must not hold up those of others.
  if (!(await mayGoOn())) return true
  await Promise.all(sources.map(drop))
  await hastenLeftSlots(pool, tenant)
  return sources.length > 0
}
