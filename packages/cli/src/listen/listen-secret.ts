import { createHmac } from 'node:crypto'
import type { Tenant } from '../tenant/tenant-client.ts'

/**
 * Returns the secret that signs forwarded changes. It stays the same for a token and an
 * environment, so that a receiver keeps it in its settings. It does not reveal the token.
 */
export function listenSecret({ token, project, environment }: Omit<Tenant, 'baseUrl'>): string {
  const hmac = createHmac('sha256', token).update(`surehook listen ${project}/${environment}`)
  return `whsec_${hmac.digest('base64')}`
}
