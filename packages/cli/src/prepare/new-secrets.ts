import { randomBytes } from 'node:crypto'

export type Secrets = {
  adminToken: string
  /** 32 bytes in base64. */
  keyEncryptionKey: string
  /** The token with which services authenticate to each other. */
  serviceToken: string
}

export function newSecrets(): Secrets {
  return {
    adminToken: `pat_${randomBytes(24).toString('base64url')}`,
    keyEncryptionKey: randomBytes(32).toString('base64'),
    serviceToken: `svc_${randomBytes(24).toString('base64url')}`,
  }
}

/** Hexadecimal, so that URLs and env files need no escaping. */
export const newPassword = (): string => randomBytes(18).toString('hex')
