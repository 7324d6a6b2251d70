import { createHash } from 'node:crypto'
import type { TenantName } from '../platform/tenant.ts'

/**
 * The part of a Redis key that names an account. It has a fixed length, and is a hash so that no
 * e-mail address can be read from Redis.
 */
export function keyOf({ projectId, environment }: TenantName, subject: string): string {
  return createHash('sha256').update(`${projectId}\0${environment}\0${subject}`).digest('base64url')
}
