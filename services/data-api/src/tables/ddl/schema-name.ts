import { createHash } from 'node:crypto'
import type { Tenant } from '../../table-definition.ts'

/**
 * The PostgreSQL schema of an environment. It is a hash, because no separator keeps arbitrary ids
 * apart within 63 bytes. The catalogue stores the pair of each name, so a second pair with the same
 * hash is refused.
 */
export function schemaName({ projectId, environment }: Tenant): string {
  const digest = createHash('sha256').update(JSON.stringify([projectId, environment]))
  return `d_${digest.digest('hex').slice(0, 48)}`
}
