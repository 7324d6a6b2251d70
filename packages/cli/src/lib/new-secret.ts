import { randomBytes } from 'node:crypto'

/** A secret in the form of Standard Webhooks: 32 random bytes. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`
