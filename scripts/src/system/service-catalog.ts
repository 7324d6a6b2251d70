import { randomBytes } from 'node:crypto'
import type { ServiceName } from 'surehook/lib/service-catalog'
import { repoRoot } from '../lib/paths.ts'

export {
  type ServiceName,
  serviceNames,
  serviceTraits,
} from 'surehook/lib/service-catalog'

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

/** @param root the checkout that the service is started from */
export function entryOf(service: ServiceName, root: string = repoRoot): string {
  return `${root}/services/${service}/dist/main.js`
}
