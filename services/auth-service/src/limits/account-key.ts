import { createHash } from 'node:crypto'
import type { TenantIdentity } from '../platform/tenant.ts'

/**
 * The part of a Redis key that names an account. It has a fixed length, and is a hash so that no
 * e-mail address can be read from Redis. A later environment of the same name has other keys.
 */
export function keyOf(tenant: TenantIdentity, subject: string): string {
  const { projectId, environment, createdAt } = tenant
  const parts = [projectId, environment, createdAt, subject]
  return createHash('sha256').update(parts.join('\0')).digest('base64url')
}
