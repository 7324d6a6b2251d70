import type { Pool } from 'pg'
import { hastenLeftSlots } from '../left-slots/left-slot-store.ts'
import type { Tenant } from '../source-row.ts'
import type { DropSource } from './drop-source.ts'
import { findSources } from './source-store.ts'

/**
 * Deletes the sources of an environment and drops their slots, as far as their databases answer.
 * @returns true if there were any, or slots are left that are still tried
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
  return (await hastenLeftSlots(pool, tenant)) > 0
}
