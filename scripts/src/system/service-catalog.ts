import { randomBytes } from 'node:crypto'
import { repoRoot } from '../lib/paths.ts'

export type Secrets = {
  adminToken: string
  /** 32 bytes in base64. */
  keyEncryptionKey: string
  /** What services show each other. */
  serviceToken: string
}

export function newSecrets(): Secrets {
  return {
    adminToken: `pat_${randomBytes(24).toString('base64url')}`,
    keyEncryptionKey: randomBytes(32).toString('base64'),
    serviceToken: `svc_${randomBytes(24).toString('base64url')}`,
  }
}

export const serviceNames = [
  'auth-service',
  'data-api',
  'webhook-api',
  'webhook-matcher',
  'webhook-dispatcher',
  'gateway',
] as const

export type ServiceName = (typeof serviceNames)[number]

/** What a service has beyond its process. */
export type ServiceTraits = { api: boolean; database?: { mayCreateSchemas: boolean } }

export const serviceTraits: Record<ServiceName, ServiceTraits> = {
  'auth-service': { api: true, database: { mayCreateSchemas: false } },
  'data-api': { api: true, database: { mayCreateSchemas: true } },
  'webhook-api': { api: true, database: { mayCreateSchemas: false } },
  'webhook-matcher': { api: false },
  'webhook-dispatcher': { api: false },
  gateway: { api: true },
}

export function entryOf(service: ServiceName): string {
  return `${repoRoot}/services/${service}/dist/main.js`
}
