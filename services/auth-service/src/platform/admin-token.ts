import { type AdminGate, adminGate as gateOf, tokenDigest } from '@surehook/access/admin-gate'

/** Checks `Authorization` against the administration's tokens, in a time that tells nothing about it. */
export const adminGate = (adminTokens: readonly string[]): AdminGate =>
  gateOf(adminTokens.map(tokenDigest))
