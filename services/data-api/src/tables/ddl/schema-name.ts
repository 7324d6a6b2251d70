import { createHash } from 'node:crypto'
import type { Tenant } from '../table-definition.ts'

/**
 * The PostgreSQL schema of one environment. A hash, because no separator keeps arbitrary ids apart
 * within 63 bytes; the catalogue holds the pair behind each name, so that a second pair with the
 * same name would be refused.
 */
export function schemaName({ projectId, environment }: Tenant): string {
  const digest = createHash('sha256').update(JSON.stringify([projectId, environment]))
  return `d_${digest.digest('hex').slice(0, 48)}`
}
